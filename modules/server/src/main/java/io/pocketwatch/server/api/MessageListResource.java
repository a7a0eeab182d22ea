// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.server.access.Caller;
import io.pocketwatch.server.http.AnswerMemory;
import io.pocketwatch.server.http.AnswerMemory.Room;
import io.pocketwatch.server.http.Answers;
import io.pocketwatch.server.http.ConcurrencyLimit;
import io.pocketwatch.server.request.Parameters;
import io.pocketwatch.server.view.MessageView;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoredMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
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

  private final Backend backend;
  private final CountWatch counts;
  private final AnswerMemory memory;
  private final ConcurrencyLimit searching =
      new ConcurrencyLimit(Duration.ofSeconds(2), "searches");

  /**
   * @param counts also has routes that are no longer configured
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
            "search",
            "order",
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
            parameters.word("order", "asc", "desc").equals("desc"),
            null,
            limit);
    String id = parameters.text("id");
    String part = parameters.text("search");
    String cursor = parameters.text("cursor");
    if (id != null) {
      byId(context, id, query);
    } else if (part != null) {
      search(context, part, query, cursor);
    } else {
      try (Room room = room(limit)) {
        List<MessageSummary> found = page(behind(query, cursor), Caller.of(context));
        keep(room, found);
        String next =
            found.size() < limit ? null : Cursors.of(found.get(found.size() - 1).stored(), query);
        answer(context, found, next);
      }
    }
  }

  private static MessageQuery behind(MessageQuery query, @Nullable String cursor) {
    return cursor == null ? query : query.after(Cursors.read(cursor, query).cursor());
  }

  private Room room(int rows) {
    return memory.take((long) rows * LARGEST_ROW, "a page of %s messages".formatted(rows));
  }

  private static void keep(Room room, Collection<MessageSummary> found) {
    room.keep(found.stream().mapToLong(MessageListResource::bytes).sum());
  }

  private void search(Context context, String part, MessageQuery query, @Nullable String cursor) {
    Caller caller = Caller.of(context);
    if (query.route() != null) {
      caller.requireRoute(query.route());
    }
    MessageSearch.Place from = cursor == null ? null : Cursors.readSearch(cursor, part, query);
    MessageSearch search =
        new MessageSearch(backend.store(), caller, each -> page(each, caller), part, query, from);
    try (Room room = room(2 * query.limit())) {
      searching.run(
          () -> {
            search.run();
            return true;
          });
      keep(room, search.found());
      MessageSearch.Place next = search.next();
      answer(
          context,
          search.found().stream().sorted(order(query)).toList(),
          next == null ? null : Cursors.of(next, part, query));
    }
  }

  /** The query, or one for each route if the caller may not see all of them. */
  private static List<MessageQuery> parts(MessageQuery query, Caller caller) {
    if (query.route() != null) {
      caller.requireRoute(query.route());
    }
    return query.route() != null || caller.routes().isEmpty()
        ? List.of(query)
        : caller.routes().stream().map(query::route).toList();
  }

  private static Comparator<MessageSummary> order(MessageQuery query) {
    return Comparator.comparing(each -> MessageQuery.Cursor.of(each.stored()), query.order());
  }

  /** One page of messages, of all routes or of those that the caller may see. */
  private List<MessageSummary> page(MessageQuery query, Caller caller) {
    List<MessageQuery> parts = parts(query, caller);
    List<MessageSummary> found = new ArrayList<>();
    for (MessageQuery part : parts) {
      found.addAll(backend.store().summaries(part));
      if (parts.size() > 1) {
        found.sort(order(query));
      }
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
    Instant now = backend.store().now();
    List<MessageView> shown = items.stream().map(each -> MessageView.of(each, now)).toList();
    Map<String, @Nullable Object> page = new LinkedHashMap<>();
    page.put("items", shown);
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
      keep(room, found);
      answer(context, found, null);
    }
  }
}
