// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.Change;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A stored message as the interface shows it, without headers and body. */
record MessageView(
    String route,
    String id,
    @Nullable String businessKey,
    MessageState state,
    Instant deliverAt,
    String exchange,
    String routingKey,
    String tracking,
    int generation,
    int attempts,
    int bodyBytes,
    @Nullable Instant heldUntil,
    Instant createdAt,
    Instant updatedAt,
    @Nullable String reason,
    @Nullable String changedBy,
    @Nullable Instant changedAt,
    String href) {
  static MessageView of(StoredMessage stored) {
    return of(stored, stored.message().body().length);
  }

  static MessageView of(MessageSummary summary) {
    return of(summary.stored(), summary.bodyBytes());
  }

  private static MessageView of(StoredMessage stored, int bodyBytes) {
    ScheduledMessage message = stored.message();
    Change change = stored.lastChange();
    return new MessageView(
        stored.key().route(),
        stored.key().id(),
        message.businessKey(),
        stored.state(),
        stored.deliverAt(),
        message.exchange(),
        message.routingKey(),
        message.tracking().name().toLowerCase(Locale.ROOT),
        stored.generation(),
        stored.attempts(),
        bodyBytes,
        stored.heldUntil(),
        stored.createdAt(),
        stored.updatedAt(),
        stored.reason(),
        change == null ? null : change.by(),
        change == null ? null : change.at(),
        href(stored.key()));
  }

  static String href(MessageKey key) {
    return "%s/messages/%s/%s".formatted(RestApi.ROOT, encoded(key.route()), encoded(key.id()));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
