// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.hold;

import com.rabbitmq.client.Connection;
import io.pocketwatch.route.DurationText;
import io.pocketwatch.route.TopologyMode;
import io.pocketwatch.route.Tracking;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.HelpOption;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.server.broker.BrokerOption;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.server.config.ConfigOption;
import io.pocketwatch.server.config.ConfigurationFile;
import io.pocketwatch.server.hold.HoldCheck.Found;
import io.pocketwatch.server.store.OpenStore;
import io.pocketwatch.store.DelayStore;
import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Makes broken hold queues anew. */
@Command(
    name = "repair",
    description = {
      "Looks for hold queues that no longer take messages, as a broker that was killed while it wrote"
          + " a snapshot can leave them; with --yes deletes them and declares them again.",
      "What they held is lost with them, except that messages with tracking 'full' are sent again."
          + " In a cluster first bring back every node: a queue without a majority looks the same,"
          + " and has lost nothing.",
      ""
    },
    footer = {
      "",
      "  pocketwatch repair --broker amqp://user:password@host:5672/vhost",
      "  pocketwatch repair --yes",
      "",
      "Exit code 0 if every hold queue takes messages in the end; else 1."
    })
public final class RepairCommand implements Callable<Integer> {
  private static final int CLOSE_MILLIS = 5_000;

  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;
  @Mixin private ConfigOption config;
  @Mixin private BrokerOption brokerOption;

  @Option(names = "--yes", description = "Delete the broken ones, with whatever is in them.")
  private boolean yes;

  @Override
  public Integer call() {
    Screen screen = Screen.of(spec.commandLine());
    ConfigurationFile file = config.load();
    if (file.routes().hold().topology() != TopologyMode.DECLARE) {
      throw new CommandFailedException(
          ExitCodes.USAGE,
          file.file() + ": pocketwatch.topology: repair declares queues; allowed: declare");
    }
    NamedBroker broker = brokerOption.named(screen::say);
    try {
      return repair(file, broker, screen) ? ExitCodes.DONE : ExitCodes.FAILED;
    } catch (IOException | TimeoutException e) {
      throw new CommandFailedException(
          ExitCodes.FAILED, "the hold queues cannot be looked at: " + e.getMessage(), e);
    }
  }

  private boolean repair(ConfigurationFile file, NamedBroker broker, Screen screen)
      throws IOException, TimeoutException {
    HoldCheck check = new HoldCheck(broker, file.routes());
    Found found = check.look();
    found.broken().forEach(each -> screen.result(each.words()));
    if (found.broken().isEmpty()) {
      screen.success(
          found.asked() == 0
              ? "There is none to ask: needs RabbitMQ 4.0 and quorum hold queues."
              : "All %s take messages.".formatted(Numbers.of(found.asked(), "hold queue")));
      return true;
    }
    String count = Numbers.count(found.broken().size()) + " of " + Numbers.count(found.asked());
    if (!yes) {
      screen.failure(
          count + " hold queues take no messages. To delete them and declare them again: --yes");
      return false;
    }
    delete(broker, found.broken());
    if (tracks(file)) {
      try (OpenStore open = OpenStore.connect(file.requireStore())) {
        broker.publisher().routes(file.routes()).store(open.store()).build().close();
        sendAgain(open.store(), longest(found.broken()), screen);
      }
    } else {
      broker.publisher().routes(file.routes()).build().close();
    }
    screen.say(
        "%s hold queues are deleted and declared again. What they held and tracking 'full' does not"
                .formatted(count)
            + " know is lost: messages due within %s. With tracking 'handoff' it is in the store:"
                .formatted(DurationText.format(longest(found.broken())))
            + " pocketwatch release ROUTE ID sends one again.");
    Found after = check.look();
    after.broken().forEach(each -> screen.failure(each.words()));
    return after.broken().isEmpty();
  }

  private static boolean tracks(ConfigurationFile file) {
    return file.store().isPresent()
        || file.routes().routes().stream()
            .anyMatch(route -> route.store().tracking() != Tracking.NONE);
  }

  private static void delete(NamedBroker broker, List<BrokenHold> broken)
      throws IOException, TimeoutException {
    Connection connection = broker.connect("pocketwatch repair");
    try {
      for (BrokenHold each : broken) {
        connection.createChannel().queueDelete(each.queue());
      }
    } finally {
      connection.abort(CLOSE_MILLIS);
    }
  }

  private static Duration longest(List<BrokenHold> broken) {
    return broken.stream()
        .map(BrokenHold::longest)
        .max(Comparator.naturalOrder())
        .orElse(Duration.ZERO);
  }

  private static void sendAgain(DelayStore store, Duration longest, Screen screen) {
    screen.result(
        "%s due within %s, tracked 'full', sent again as soon as a loader runs."
            .formatted(
                Numbers.of(new LostRows(store).release(longest), "message"),
                DurationText.format(longest)));
  }
}
