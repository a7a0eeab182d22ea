// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.PocketwatchException;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.lab.broker.BrokerChoice;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.HelpOption;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.screen.Within;
import io.pocketwatch.server.broker.BrokerAddresses;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.server.config.ConfigurationFile;
import io.pocketwatch.server.store.OpenStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows on a real broker what Pocketwatch does, and counts every message. */
@Command(
    name = "demo",
    description = {
      "Orders that time out, on a real RabbitMQ: each order gets a delayed message that closes it,"
          + " unless it is paid in time.",
      "Beside them tasks that wait in a database until shortly before they are due.",
      "Uses the broker given, else the one in POCKETWATCH_BROKER, else the one of 'pocketwatch"
          + " broker', else starts one for the time of the demo.",
      "Everything on the broker is named pocketwatch-demo.* and is deleted in the end.",
      ""
    },
    footer = {
      "",
      "Exit code 0 only if the broker took every message and none is lost, early or unexplained;"
          + " else 1. 2: wrong usage or configuration. 3: no broker."
    })
public final class DemoCommand implements Callable<Integer> {
  private static final int MOST_MESSAGES = 1_000_000;
  private static final int LEAST_SECONDS = 5;
  private static final int MOST_SECONDS = 3_600;

  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;

  @Option(
      names = "--messages",
      paramLabel = "N",
      defaultValue = "2000",
      description = "How many orders, 1 to 1000000; default ${DEFAULT-VALUE}.")
  private int messages;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "15",
      description =
          "From the first order to the last due instant, 5 to 3600 s; default ${DEFAULT-VALUE}."
              + " The delays are spread over two thirds of it.")
  private int seconds;

  @Option(
      names = "--broker",
      paramLabel = "URI",
      converter = BrokerAddresses.Converter.class,
      description = "A running broker: amqp://user:password@host:5672/vhost.")
  private @Nullable BrokerAddresses address;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "How messages are held and published; default config/pocketwatch.yml of this"
              + " installation. Its routes and name prefix are left alone.")
  private @Nullable Path config;

  @Option(
      names = "--store",
      paramLabel = "URL",
      description =
          "JDBC URL of a database for the part with the store, of its own and with our tables"
              + " ('schema'); default: one in memory.")
  private @Nullable String storeUrl;

  @Option(
      names = "--json",
      description = "Print one JSON object, alone on stdout, in place of the table.")
  private boolean json;

  @Override
  public Integer call() {
    long began = System.nanoTime();
    Within.require(spec, "--messages", messages, 1, MOST_MESSAGES);
    Within.require(spec, "--seconds", seconds, LEAST_SECONDS, MOST_SECONDS);
    // Before anything is asked of a broker: a wrong file must not leave a trace there.
    ConfigurationFile configuration = ConfigurationFile.load(config);
    Screen screen = Screen.of(spec.commandLine());
    TidyExit exit = new TidyExit();
    try (exit) {
      DemoReport report = run(screen, configuration, began);
      show(screen, report);
      return report.sound() ? ExitCodes.DONE : ExitCodes.FAILED;
    } catch (IOException | TimeoutException | ShutdownSignalException e) {
      throw failed(exit, "the broker refused or went away: " + ErrorWords.of(e), e);
    } catch (InterruptedException e) {
      throw failed(exit, "interrupted", e);
    } catch (PocketwatchException e) {
      throw exit.asked() ? failed(exit, "interrupted", e) : e;
    }
  }

  private static CommandFailedException failed(TidyExit exit, String words, Exception cause) {
    return new CommandFailedException(
        ExitCodes.FAILED, exit.asked() ? "interrupted" : words, cause);
  }

  private DemoReport run(Screen screen, ConfigurationFile configuration, long began)
      throws IOException, TimeoutException, InterruptedException {
    Duration length = Duration.ofSeconds(seconds);
    screen.heading("Pocketwatch demo");
    screen.detail(
        "%s orders within %s s. A delayed message closes each one, unless it is paid in time."
            .formatted(Numbers.count(messages), seconds));
    screen.heading("Broker");
    try (OpenStore open = DemoStore.open(storeUrl);
        BrokerChoice choice = BrokerChoice.make(address, screen::detail)) {
      NamedBroker broker = choice.broker();
      String source = choice.source().label();
      screen.detail("Using RabbitMQ " + broker.version() + " (" + source + ")");
      DemoRun demo = DemoRun.on(choice, messages, length, configuration.routes(), screen);
      screen.heading("Hold, as configured in " + configuration.file());
      demo.holdLines().forEach(screen::detail);
      screen.detail(
          "STORE            rows in "
              + (storeUrl == null
                  ? "an H2 database in memory, for this demo only; --store URL takes another"
                  : open.store().describe()));
      Map<DelayStrategy, Tally> tallies = demo.run(open.store());
      if (choice.own() != null) {
        screen.detail(
            "Its broker ends now. To have one that stays: pocketwatch broker start, then demo again");
      }
      return DemoReport.of(
              tallies,
              new DemoReport.Broker(broker.version(), source),
              Duration.ofNanos(System.nanoTime() - began))
          .withStore(demo.storeCounts());
    }
  }

  private void show(Screen screen, DemoReport report) {
    screen.say("");
    ReportLines.table(report).forEach(json ? screen::say : screen::result);
    screen.say("");
    show(screen, report.total().sound(), ReportLines.verdict(report.total()));
    StoreCounts store = report.store();
    if (store != null) {
      show(screen, store.sound(), ReportLines.verdict(store));
    }
    if (json) {
      screen.result(report.json());
    }
  }

  private static void show(Screen screen, boolean sound, String verdict) {
    if (sound) {
      screen.success(verdict);
    } else {
      screen.failure(verdict);
    }
  }
}
