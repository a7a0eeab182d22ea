// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Pages of stored messages. */
final class MessageList {
  static final int LARGEST_PAGE = 1_000;
  private static final int USUAL_PAGE = 100;

  private final Backend backend;
  private final CountWatch counts;
  private final Finding finding;

  /**
   * @param counts knows routes that are no longer configured
   */
  MessageList(Backend backend, CountWatch counts, Finding finding) {
    this.finding = finding;
    this.backend = backend;
    this.counts = counts;
  }

  void addTo(RoutesConfig routes) {
    routes.get(RestApi.ROOT + "/messages", this::list);
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
            null,
            limit);
    String id = parameters.text("id");
    if (id != null) {
      Answers.json(context, 200, page(byId(Caller.of(context), id, query), null));
      return;
    }
    String cursor = parameters.text("cursor");
    MessageQuery behind =
        cursor == null ? query : query.after(Cursors.read(cursor, query).cursor());
    List<MessageSummary> found = new SeenMessages(backend.store(), Caller.of(context)).page(behind);
    String next =
        found.size() < limit ? null : Cursors.of(found.get(found.size() - 1).stored(), query);
    Answers.json(
        context,
        200,
        page(
            found.stream().map(each -> MessageView.of(each.stored(), each.bodyBytes())).toList(),
            next));
  }

  private static Map<String, @Nullable Object> page(
      List<MessageView> items, @Nullable String next) {
    Map<String, @Nullable Object> page = new LinkedHashMap<>();
    page.put("items", items);
    page.put("next", next);
    return page;
  }

  /** A key is a route and an id, so every route is asked for it. */
  private List<MessageView> byId(Caller caller, String id, MessageQuery query) {
    if (query.route() != null) {
      caller.requireRoute(query.route());
    }
    TreeSet<String> routes = new TreeSet<>(counts.latest().routes().keySet());
    backend.routes().all().map(DelayRoute::name).forEach(routes::add);
    return routes.stream()
        .filter(caller::sees)
        .map(route -> finding.find(new MessageKey(route, id)))
        .flatMap(Optional::stream)
        .filter(query::matches)
        .map(MessageView::of)
        .toList();
  }
}
