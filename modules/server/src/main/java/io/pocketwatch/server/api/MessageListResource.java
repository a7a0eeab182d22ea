// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.server.api.AnswerMemory.Room;
import io.pocketwatch.server.store.MessageView;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoredMessage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Pages of stored messages. */
final class MessageListResource {
  static final int LARGEST_PAGE = 1_000;
  private static final int USUAL_PAGE = 100;

  /** The longest texts a row has, as characters of two bytes. */
  private static final int LARGEST_ROW = 8_192;

  private static final int OF_OBJECTS = 1_000;

  private static final Comparator<MessageSummary> ORDER =
      Comparator.comparing(
          MessageSummary::stored,
          Comparator.comparing(StoredMessage::deliverAt)
              .thenComparing(StoredMessage::key, Comparator.comparing(MessageKey::route))
              .thenComparing(StoredMessage::key, Comparator.comparing(MessageKey::id)));

  private final Backend backend;
  private final CountWatch counts;
  private final AnswerMemory memory;

  /**
   * @param counts knows routes that are no longer configured
   */
  MessageListResource(Backend backend, CountWatch counts, AnswerMemory memory) {
    this.memory = memory;
    this.backend = backend;
    this.counts = counts;
  }

  void addTo(RoutesConfig routes) {
    routes.get(MessageView.PATH, this::list);
  }

  private void list(Context context) {
    Parameters parameters =
        new Parameters(
            context,
            "route",
            "state",
            "businessKey",
            "reason",
            "id",
            "dueFrom",
            "dueUntil",
            "overdue",
            "limit",
            "cursor");
    int limit = parameters.integer("limit", 1, LARGEST_PAGE, USUAL_PAGE);
    MessageQuery query =
        new MessageQuery(
            parameters.text("route"),
            parameters.states("state"),
            parameters.text("businessKey"),
            parameters.text("reason"),
            parameters.instant("dueFrom"),
            parameters.instant("dueUntil"),
            parameters.bool("overdue"),
            null,
            limit);
    String id = parameters.text("id");
    if (id != null) {
      byId(context, id, query);
      return;
    }
    String cursor = parameters.text("cursor");
    MessageQuery behind =
        cursor == null ? query : query.after(Cursors.read(cursor, query).cursor());
    try (Room room =
        memory.take((long) limit * LARGEST_ROW, "a page of %d messages".formatted(limit))) {
      List<MessageSummary> found = page(behind, Caller.of(context));
      room.keep(found.stream().mapToLong(MessageListResource::bytes).sum());
      String next =
          found.size() < limit ? null : Cursors.of(found.get(found.size() - 1).stored(), query);
      answer(context, found, next);
    }
  }

  /** One page of those that the caller sees: of all routes, or of each that it may see. */
  private List<MessageSummary> page(MessageQuery query, Caller caller) {
    if (query.route() != null) {
      caller.requireRoute(query.route());
    }
    if (query.route() != null || caller.routes().isEmpty()) {
      return backend.store().summaries(query);
    }
    List<MessageSummary> found = new ArrayList<>();
    for (String route : caller.routes()) {
      found.addAll(backend.store().summaries(query.route(route)));
      found.sort(ORDER);
      if (found.size() > query.limit()) { // or all routes' pages would be in memory
        found.subList(query.limit(), found.size()).clear();
      }
    }
    return found;
  }

  private static long bytes(MessageSummary each) {
    StoredMessage stored = each.stored();
    ScheduledMessage message = stored.message();
    return OF_OBJECTS
        + 2L
            * Stream.of(
                    stored.key().route(),
                    stored.key().id(),
                    message.exchange(),
                    message.routingKey(),
                    Objects.requireNonNullElse(message.businessKey(), ""),
                    Objects.requireNonNullElse(stored.reason(), ""))
                .mapToInt(String::length)
                .sum();
  }

  private void answer(Context context, List<MessageSummary> items, @Nullable String next) {
    Map<String, @Nullable Object> page = new LinkedHashMap<>();
    Instant now = backend.store().now();
    page.put("items", items.stream().map(each -> MessageView.of(each, now)).toList());
    page.put("next", next);
    Answers.json(context, 200, page);
  }

  private void byId(Context context, String id, MessageQuery query) {
    Caller caller = Caller.of(context);
    if (query.route() != null) {
      caller.requireRoute(query.route());
    }
    TreeSet<String> routes = new TreeSet<>(counts.latest().routes().keySet());
    backend.routes().all().map(DelayRoute::name).forEach(routes::add);
    routes.removeIf(route -> !caller.sees(route));
    try (Room room = memory.take((long) routes.size() * LARGEST_ROW, "a row of each route")) {
      List<MessageSummary> found = MessageView.withId(id, query, routes, backend.store());
      room.keep(found.stream().mapToLong(MessageListResource::bytes).sum());
      answer(context, found, null);
    }
  }
}
