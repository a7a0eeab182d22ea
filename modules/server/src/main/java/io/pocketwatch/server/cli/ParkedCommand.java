// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.screen.Json;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.server.deadletter.DeadLetter;
import io.pocketwatch.server.deadletter.DeadLetterQueue;
import io.pocketwatch.server.deadletter.DeadLetters.Result;
import io.pocketwatch.server.view.MessageView;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows messages that were given up. */
@Command(
    name = "parked",
    description = {
      "Lists the messages that were given up, each with its reason, those due first at the top.",
      "They stay until somebody decides: 'retry' tries again, 'cancel' ends them.",
      "Callbacks that have no row wait on the broker, in a queue for each route:"
          + " pocketwatch.parked.ROUTING-KEY.",
      "They are listed below the others.",
      "--send has them called again, --delete ends them; neither changes a row.",
      ""
    },
    footer = {
      "",
      "  pocketwatch parked --route order-timeout",
      "  pocketwatch parked --route mail --send"
    })
public final class ParkedCommand extends StoreCommand {
  private static final int SHOWN = 1_000;
  private static final int SHOWN_OF_QUEUE = 100;

  @Mixin private BrokerOption brokerOption;
  @ArgGroup private @Nullable DeadLetterOptions change;

  @Option(names = "--route", paramLabel = "ROUTE", description = "Only this route.")
  private @Nullable String route;

  @Option(names = "--json", description = "Print one JSON object in place of the table.")
  private boolean json;

  @Override
  void checkUsage() {
    if (json && change != null) {
      throw usage("--json is for the list, without --send and --delete");
    }
  }

  @Override
  boolean run(Invocation call) {
    requireRoute(call, route);
    Names names = new Names(call.file().routes().hold().namePrefix());
    List<DeadLetterQueue> queues =
        DeadLetterQueue.parked(names, call.file().server().callbacks()).stream()
            .filter(each -> route == null || route.equals(each.route()))
            .toList();
    return change == null ? list(call, names, queues) : change(call, names, queues, change);
  }

  private boolean change(
      Invocation call, Names names, List<DeadLetterQueue> queues, DeadLetterOptions how) {
    if (queues.isEmpty()) {
      throw usage("--send and --delete are for callbacks, and no route here has any");
    }
    return !DeadLetterOptions.each(
            brokerOption.named(call.screen()::say),
            names,
            queues,
            (messages, queue) -> {
              Result done = how.change(messages, queue, call.screen());
              long left = done.left().values().stream().mapToLong(Long::longValue).sum();
              if (done.sent() + left > 0) {
                call.note(how.done(), queue.route(), "queue " + queue.name(), done.sent(), left);
              }
              return left == 0;
            })
        .contains(false);
  }

  private boolean list(Invocation call, Names names, List<DeadLetterQueue> queues) {
    MessageQuery query =
        new MessageQuery(
            route, Set.of(MessageState.PARKED), null, null, null, null, false, false, null, SHOWN);
    List<MessageSummary> parked = call.store().summaries(query);
    long all = parked.size() < SHOWN ? parked.size() : call.store().count(query);
    Screen screen = call.screen();
    if (json) {
      Map<String, Object> object = new LinkedHashMap<>();
      Instant now = call.store().now();
      object.put("parked", all);
      object.put("messages", parked.stream().map(each -> MessageView.of(each, now)).toList());
      object.put("callbacks", withoutRow(call, names, queues));
      screen.result(Json.line(object));
      return true;
    }
    if (!parked.isEmpty()) {
      MessageTable.parked(parked).forEach(screen::result);
      screen.say(
          (all == parked.size() ? "" : "The first " + Numbers.count(parked.size()) + " of ")
              + Numbers.of(all, "parked message")
              + ". To try again: pocketwatch retry ROUTE ID, or --all.");
    }
    List<WithoutRow> others = withoutRow(call, names, queues);
    others.forEach(each -> show(each, screen));
    if (parked.isEmpty() && others.isEmpty()) {
      screen.say("Nothing is parked" + (route == null ? "." : " on route " + route + "."));
    }
    return true;
  }

  private static void show(WithoutRow each, Screen screen) {
    DeadLetterTable.of(each.messages).forEach(screen::result);
    screen.say(
        (each.count <= each.messages.size()
                ? ""
                : "The first " + Numbers.count(each.messages.size()) + " of ")
            + Numbers.of(each.count, "callback")
            + " without a row, in queue '%s'. To try again: pocketwatch parked --route %s --send."
                .formatted(each.queue, each.route));
  }

  /** The dead letters of queues that have any. */
  private List<WithoutRow> withoutRow(Invocation call, Names names, List<DeadLetterQueue> queues) {
    if (queues.isEmpty()) {
      return List.of();
    }
    return DeadLetterOptions.each(
            brokerOption.named(call.screen()::detail),
            names,
            queues,
            (messages, queue) -> {
              long count = messages.count();
              return new WithoutRow(
                  queue.name(),
                  String.valueOf(queue.route()),
                  count,
                  count == 0 ? List.of() : messages.first(SHOWN_OF_QUEUE, call.file().routes()));
            })
        .stream()
        .filter(each -> each.count > 0)
        .toList();
  }

  private record WithoutRow(String queue, String route, long count, List<DeadLetter> messages) {}
}
