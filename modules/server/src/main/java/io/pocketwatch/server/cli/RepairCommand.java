// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import com.rabbitmq.client.Connection;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PocketwatchException;
import io.pocketwatch.TopologyException;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.HoldOptions.TopologyMode;
import io.pocketwatch.internal.base.Channels;
import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.HelpOption;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.server.config.ConfigurationFile;
import io.pocketwatch.server.deadletter.BrokenHold;
import io.pocketwatch.server.deadletter.BrokenHold.State;
import io.pocketwatch.server.deadletter.ForeignQueues;
import io.pocketwatch.server.deadletter.HoldCheck;
import io.pocketwatch.server.deadletter.HoldCheck.Found;
import io.pocketwatch.server.deadletter.MissingParts.Missing;
import io.pocketwatch.server.deadletter.PolicyCheck;
import io.pocketwatch.server.store.OpenStore;
import io.pocketwatch.server.view.Notice;
import io.pocketwatch.tracking.TrackedPublisher;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Repairs hold queues: binds missing ones, and with --yes replaces broken ones. */
@Command(
    name = "repair",
    description = {
      "Looks for hold queues that no longer take messages or pass them on.",
      "A broker that was killed while it wrote a snapshot can leave such queues. With --yes a"
          + " queue that refuses messages at each of several looks is deleted and declared again."
          + " One that is missing or not bound is only declared. Where one passes nothing on, every"
          + " binding of ours is made again. One that is full or does not answer is left alone.",
      "Names queues under our prefix that no configuration names, and what waits as unroutable."
          + " Says what policies do to our queues that makes messages early or loses them.",
      "A deleted queue's messages are lost with it. None of them has tracking 'full': the store"
          + " holds those. First restart the broker, and in a cluster bring back every node. A"
          + " queue that has only stopped looks the same, and has lost nothing.",
      ""
    },
    footer = {
      "",
      "  pocketwatch repair --broker amqp://user:password@host:5672/vhost",
      "  pocketwatch repair --yes",
      "",
      "Exit code 0 if every hold queue takes messages in the end, and passes them on, and no"
          + " policy does harm to them; else 1."
    })
public final class RepairCommand implements Callable<Integer> {
  private static final String QUEUE = "hold queue";

  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;
  @Mixin private ConfigOption config;
  @Mixin private BrokerOption brokerOption;

  @Option(
      names = "--yes",
      description = "Delete those that refuse messages, with whatever is in them.")
  private boolean yes;

  @Option(
      names = "--management",
      paramLabel = "URI",
      converter = ManagementAddress.class,
      description =
          "Its management API, which alone knows queues under our prefix that no configuration"
              + " names; default the broker's host, port 15672, and the broker's user.")
  private @Nullable URI management;

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
      boolean mended = repair(file, broker, screen);
      Optional<String> harm = new PolicyCheck(broker, file.routes()).look();
      harm.ifPresent(screen::failure);
      return mended && harm.isEmpty() ? ExitCodes.DONE : ExitCodes.FAILED;
    } catch (IOException | TimeoutException e) {
      throw new CommandFailedException(
          ExitCodes.FAILED, "the hold queues cannot be looked at: " + ErrorWords.of(e), e);
    }
  }

  private boolean repair(ConfigurationFile file, NamedBroker broker, Screen screen)
      throws IOException, TimeoutException {
    HoldCheck check = new HoldCheck(broker, file.routes());
    ForeignQueues.named(broker, file.routes(), management, screen);
    Missing missing = check.missing();
    if (!missing.all()) {
      missing.parts().forEach(each -> screen.result(each + " is not there"));
    }
    if (!missing.parts().isEmpty() && yes) {
      makeAnew(file, broker, screen, List.of());
      screen.say("What was not there has been declared and bound.");
    } else if (!missing.parts().isEmpty() && !missing.all()) {
      screen.failure(
          "Messages that come by there are held up or lost. First bring back every node. With --yes"
              + " it is declared and bound, and nothing is deleted");
      return false;
    }
    Found found = check.look();
    if (yes && !found.in(State.STUCK).isEmpty() && found.in(State.SILENT).isEmpty()) {
      screen.say("Some pass nothing on: every binding of ours is made again.");
      bindAnew(file, broker, screen);
      found = check.look();
    }
    found.broken().forEach(each -> screen.result(each.words()));
    found.wrongClock().map(Notice::text).ifPresent(screen::failure);
    if (found.broken().isEmpty() && yes && check.lacksWheel()) {
      screen.say("The wheel was not declared, as nothing has needed it: it is now.");
      makeAnew(file, broker, screen, List.of());
      found = check.look();
    }
    if (found.broken().isEmpty()) {
      screen.success(
          found.asked() == 0
              ? "There is none to ask: needs RabbitMQ 4.0 and quorum hold queues."
              : "All %s take messages%s."
                  .formatted(
                      Numbers.of(found.asked(), QUEUE),
                      found.awaited() ? " and pass them on" : ""));
      return true;
    }
    Optional<String> reason = reasonToLeaveThemAlone(found);
    if (reason.isPresent()) {
      screen.failure(reason.get());
      return false;
    }
    makeAnew(file, broker, screen, found.in(State.REFUSED));
    Found after = check.look();
    after.broken().forEach(each -> screen.failure(each.words()));
    return after.broken().isEmpty();
  }

  private Optional<String> reasonToLeaveThemAlone(Found found) {
    int mendable = found.in(State.REFUSED).size() + found.in(State.UNBOUND).size();
    String all = Numbers.of(found.asked(), QUEUE);
    if (!found.in(State.SILENT).isEmpty()) {
      return Optional.of(
          "Nothing is changed: a queue that gives no answer may be well and only lack a majority."
              + " Bring back every node, look for alarms, then ask again.");
    }
    if (found.nodeDown() && !found.in(State.REFUSED).isEmpty()) {
      return Optional.of(
          "Nothing is changed: a node of the broker is down, and what refuses may be well and on"
              + " it. Bring it back, then ask again.");
    }
    if (mendable == 0 && !found.in(State.STUCK).isEmpty()) {
      return Optional.of(
          (yes ? "Nothing is deleted" : "Nothing is changed")
              + ": what passes nothing on still holds it. When much falls due, or for some minutes"
              + " after a crash, that is normal: ask again. Then --yes makes every binding of ours"
              + " again. Then make room in its targets; and if that is not it, restart the node"
              + " that leads it.");
    }
    if (mendable == 0) {
      return Optional.of(
          "%s of %s".formatted(Numbers.count(found.in(State.FULL).size()), all)
              + " are full, and nothing is changed: they are well. Raise the max-length that a"
              + " policy gives them: rabbitmqctl list_policies");
    }
    return yes
        ? Optional.empty()
        : Optional.of(
            "%s of %s".formatted(Numbers.count(mendable), all)
                + " take no messages. First restart the broker, in a cluster all nodes that are"
                + " down. That brings back a queue that has only stopped, with what it holds."
                + " With --yes a queue that still refuses is deleted and declared again. One"
                + " that is missing or not bound is only declared");
  }

  private void makeAnew(
      ConfigurationFile file, NamedBroker broker, Screen screen, List<BrokenHold> refused)
      throws IOException, TimeoutException {
    delete(broker, refused, screen);
    DelayedPublisher.Builder publisher = broker.publisher().routes(file.routes());
    if (!tracks(file)) {
      declareAll(publisher.build());
      return;
    }
    try (OpenStore open = OpenStore.connect(file.requireStore())) {
      declareAll(publisher.build(TrackedPublisher.with(open.store())));
    }
  }

  private void bindAnew(ConfigurationFile file, NamedBroker broker, Screen screen)
      throws IOException, TimeoutException {
    try {
      makeAnew(file, broker, screen, List.of());
    } catch (TopologyException e) { // its probe was not passed on either, after it had bound all
      screen.detail(ErrorWords.of(e));
    }
  }

  private static void declareAll(DelayedPublisher built) {
    try (built) {
      built.declareWheel().join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof PocketwatchException known ? known : e;
    }
  }

  private static boolean tracks(ConfigurationFile file) {
    return file.store().isPresent()
        || file.routes().routes().stream().anyMatch(route -> route.tracking() != Tracking.NONE);
  }

  private static void delete(NamedBroker broker, List<BrokenHold> refused, Screen screen)
      throws IOException, TimeoutException {
    if (refused.isEmpty()) {
      return;
    }
    Channels.use(
        broker.connect("pocketwatch repair"),
        connection -> {
          for (BrokenHold each : refused) {
            delete(connection, each);
          }
          return refused.size();
        });
    screen.say(
        "%s deleted, to be declared again. What was held there is lost: messages due within %s."
                .formatted(Numbers.of(refused.size(), QUEUE), DurationText.format(longest(refused)))
            + " With tracking 'handoff' it is in the store:"
            + " pocketwatch retry ROUTE ID sends one again.");
  }

  private static void delete(Connection connection, BrokenHold hold) throws IOException {
    try {
      connection.createChannel().queueDelete(hold.queue());
    } catch (IOException e) {
      throw new CommandFailedException(
          ExitCodes.FAILED, hold.queue() + " cannot be deleted: " + ErrorWords.of(e), e);
    }
  }

  private static Duration longest(List<BrokenHold> broken) {
    return broken.stream()
        .map(BrokenHold::longest)
        .max(Comparator.naturalOrder())
        .orElse(Duration.ZERO);
  }
}
