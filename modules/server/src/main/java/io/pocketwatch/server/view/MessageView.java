// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.view;

import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.screen.Json;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.OverviewStore.Handler;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.Phase;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.Change;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A stored message as REST and {@code --json} show it, without headers and body. */
public record MessageView(
    String route,
    String id,
    @Nullable String businessKey,
    MessageState state,
    String phase,
    @Nullable String holder,
    boolean overdue,
    Instant deliverAt,
    Instant nextAt,
    @Nullable String nextQueue,
    @Nullable String consumer,
    @Nullable Instant begunAt,
    String exchange,
    String routingKey,
    String tracking,
    int generation,
    int attempts,
    int bodyBytes,
    @Nullable Instant sentAt,
    @Nullable Instant heldUntil,
    Instant createdAt,
    Instant updatedAt,
    @Nullable String reason,
    @Nullable String changedBy,
    @Nullable Instant changedAt,
    String href) {
  /** The path of all messages. */
  public static final String PATH = "/api/v1/messages";

  /** A message with its properties, its body and its life. */
  public static Map<String, @Nullable Object> whole(
      StoredMessage stored, DelayRoutes routes, DelayStore store) {
    Map<String, @Nullable Object> json = Json.map(of(summary(stored, store), store.now()));
    json.putAll(MessageContent.of(stored, routes));
    store.life(stored.key()).ifPresent(life -> json.put("life", MessageLife.of(stored, life)));
    return json;
  }

  /** The summary of a message, with its lease; without, if it was deleted meanwhile. */
  public static MessageSummary summary(StoredMessage stored, DelayStore store) {
    return store
        .summary(stored.key())
        .orElseGet(
            () ->
                new MessageSummary(stored, stored.message().body().length, 0, Instant.EPOCH, null));
  }

  /** The messages with an id. A key is a route and an id, so every route is asked for it. */
  public static List<MessageSummary> withId(
      String id, MessageQuery filter, Collection<String> routes, DelayStore store) {
    Instant now = store.now();
    return new TreeSet<>(routes)
        .stream()
            .map(route -> store.summary(new MessageKey(route, id)))
            .flatMap(Optional::stream)
            .filter(each -> filter.matches(each.stored(), now))
            .toList();
  }

  /**
   * @param now on the store's clock
   */
  public static MessageView of(MessageSummary summary, Instant now) {
    StoredMessage stored = summary.stored();
    Handler handler = summary.handler();
    ScheduledMessage message = stored.message();
    Change change = stored.lastChange();
    return new MessageView(
        stored.key().route(),
        stored.key().id(),
        message.businessKey(),
        stored.state(),
        Phase.of(summary, now).code(),
        PhaseWords.holder(summary, now),
        stored.overdue(now),
        stored.deliverAt(),
        stored.nextAt(),
        stored.nextQueue(),
        handler == null ? null : handler.consumer(),
        handler == null ? null : handler.begunAt(),
        message.exchange(),
        message.routingKey(),
        message.tracking().name().toLowerCase(Locale.ROOT),
        stored.generation(),
        stored.attempts(),
        summary.bodyBytes(),
        sentAt(stored),
        heldUntil(stored),
        stored.createdAt(),
        stored.updatedAt(),
        stored.reason(),
        change == null ? null : change.by(),
        change == null ? null : change.at(),
        href(stored.key()));
  }

  /** When its last copy was sent to its target; null if the broker may hold it. */
  public static @Nullable Instant sentAt(StoredMessage stored) {
    return stored.message().tracking() == Tracking.FULL ? stored.heldUntil() : null;
  }

  /** Until when the broker may hold its copy; null if its row keeps it until it is due. */
  public static @Nullable Instant heldUntil(StoredMessage stored) {
    return stored.message().tracking() == Tracking.FULL ? null : stored.heldUntil();
  }

  public static String href(MessageKey key) {
    return "%s/%s/%s".formatted(PATH, encoded(key.route()), encoded(key.id()));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
