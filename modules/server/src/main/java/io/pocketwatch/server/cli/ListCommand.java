// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.screen.Json;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.server.view.MessageView;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows stored messages. */
@Command(
    name = "list",
    description = {
      "Lists stored messages, those due first at the top.",
      "Changes nothing.",
      "A route with tracking 'none' has a row only until the broker has the message.",
      ""
    },
    footer = {
      "",
      "  pocketwatch list --route order-timeout --state pending --due-until 2026-01-31",
      "  pocketwatch list --business-key order-4711 --json",
      "  pocketwatch list --overdue --route order-timeout",
      "",
      "Long words are cut; whole they are with --json, and in 'show'."
    })
public final class ListCommand extends FilterCommand {
  @Option(names = "--id", paramLabel = "ID", description = "Only this id, on whichever route.")
  private @Nullable String id;

  @Option(
      names = "--overdue",
      description =
          "Only what is more than 10 s past its time and has not ended, as far as anybody knows.")
  private boolean overdue;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "50",
      description = "At most so many, 1 to 10000; default ${DEFAULT-VALUE}.")
  private int limit;

  @Option(names = "--json", description = "Print one JSON object in place of the table.")
  private boolean json;

  @Override
  void checkUsage() {
    if (limit < 1 || limit > 10_000) {
      throw usage("--limit " + limit + " is not within 1 to 10000");
    }
  }

  @Override
  boolean run(Invocation call) {
    requireRoute(call, route);
    MessageQuery query =
        new MessageQuery(
            route, states, businessKey, null, from, until, overdue, false, null, limit);
    List<MessageSummary> messages =
        id == null ? call.store().summaries(query) : withId(call, query);
    long matching =
        id != null || messages.size() < limit ? messages.size() : call.store().count(query);
    if (json) {
      Map<String, Object> object = new LinkedHashMap<>();
      object.put("matching", matching);
      Instant now = call.store().now();
      object.put("messages", messages.stream().map(each -> MessageView.of(each, now)).toList());
      call.screen().result(Json.line(object));
      return true;
    }
    if (messages.isEmpty()) {
      call.screen().say("No message matches.");
      return true;
    }
    MessageTable.of(messages, call.store().now()).forEach(call.screen()::result);
    call.screen()
        .say(
            matching == messages.size()
                ? Numbers.of(matching, "message") + "."
                : "The first %s of %s; --limit shows more."
                    .formatted(Numbers.count(messages.size()), Numbers.of(matching, "message")));
    return true;
  }

  private List<MessageSummary> withId(Invocation call, MessageQuery query) {
    Set<String> routes = new TreeSet<>(call.store().countsByState().keySet());
    call.file().routes().all().map(DelayRoute::name).forEach(routes::add);
    return MessageView.withId(Objects.requireNonNull(id), query, routes, call.store());
  }
}
