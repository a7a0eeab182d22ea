// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.traffic;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.lab.demo.TidyExit;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.HelpOption;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.screen.Within;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.server.cli.BrokerOption;
import io.pocketwatch.server.cli.ConfigOption;
import io.pocketwatch.server.config.ConfigurationFile;
import io.pocketwatch.server.config.StoreSettings;
import io.pocketwatch.server.store.OpenStore;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.tracking.TrackedPublisher;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Something to look at in the console of {@code serve}. */
@Command(
    name = "demo-traffic",
    description = {
      "Plays a shop until it is stopped, so that the console of 'serve' has something to show.",
      "It schedules messages, cancels and moves some, handles those that are due, and parks a"
          + " few.",
      "Uses the broker and the store of 'serve', and the routes demo-order-timeout, demo-trial-end,"
          + " demo-invoice-mail and demo-price-update, which the configuration has to have.",
      ""
    },
    footer = {
      "",
      "Ends with exit code 1 when broker or store go away: whoever started it starts it again."
    })
public final class TrafficCommand implements Callable<Integer> {
  private static final int MOST_PER_SECOND = 1_000;
  private static final Duration TELL_EVERY = Duration.ofMinutes(1);

  /** What an empty store begins with. */
  private static final int FIRST_VISITS = 200;

  private static final int FIRST_TRIALS = 60;

  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;
  @Mixin private ConfigOption config;
  @Mixin private BrokerOption brokerOption;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "1",
      description = "Messages scheduled per second, 1 to 1000; default ${DEFAULT-VALUE}.")
  private int rate;

  @Override
  public Integer call() {
    Within.require(spec, "--rate", rate, 1, MOST_PER_SECOND);
    ConfigurationFile configuration = config.load();
    Map<ShopRoute, ShopTarget> targets = ShopRoute.in(configuration.routes());
    StoreSettings settings = configuration.requireStore();
    Screen screen = Screen.of(spec.commandLine());
    TidyExit exit = new TidyExit();
    try (exit) {
      NamedBroker broker = brokerOption.named(screen::say);
      try (OpenStore open = OpenStore.connect(settings)) {
        play(broker, open.store(), configuration.routes(), targets, screen);
      }
    } catch (InterruptedException e) {
      screen.say("Stopped");
    } catch (IOException | TimeoutException | ShutdownSignalException e) {
      throw new CommandFailedException(
          ExitCodes.FAILED, "the broker refused or went away: " + ErrorWords.of(e), e);
    }
    return ExitCodes.DONE;
  }

  private void play(
      NamedBroker broker,
      DelayStore store,
      DelayRoutes configured,
      Map<ShopRoute, ShopTarget> targets,
      Screen screen)
      throws IOException, TimeoutException, InterruptedException {
    TrafficCounts counts = new TrafficCounts();
    Connection connection = broker.connect("pocketwatch demo-traffic");
    try {
      Desks.declare(connection, targets.values());
      try (TrackedPublisher publisher =
              broker.publisher().routes(configured).build(TrackedPublisher.with(store));
          DeliveryGuard guard =
              DeliveryGuard.of(
                  publisher,
                  GuardOptions.builder().namePrefix(configured.hold().namePrefix()).build())) {
        new Desks(counts).open(connection, guard, targets.values());
        Customers customers = new Customers(publisher, publisher.store(), targets, counts);
        MessageQuery earlier = MessageQuery.all().route(ShopRoute.TRIAL_END.configured());
        if (store.count(earlier) == 0) {
          customers.crowd(FIRST_VISITS, FIRST_TRIALS);
        }
        screen.say("The shop is open: " + rate + " per second, until this is stopped");
        goOn(connection, customers, counts, screen);
        throw new IOException("the connection is closed");
      }
    } finally {
      connection.abort();
    }
  }

  /** Until the connection is lost. */
  private void goOn(Connection connection, Customers customers, TrafficCounts counts, Screen screen)
      throws InterruptedException {
    long pause = TimeUnit.SECONDS.toNanos(1) / rate;
    long tell = System.nanoTime() + TELL_EVERY.toNanos();
    for (long next = System.nanoTime(); connection.isOpen(); next += pause) {
      TimeUnit.NANOSECONDS.sleep(Math.max(0, next - System.nanoTime()));
      customers.visit();
      customers.change();
      if (next - tell >= 0) {
        screen.say(counts.line());
        tell += TELL_EVERY.toNanos();
      }
    }
  }
}
