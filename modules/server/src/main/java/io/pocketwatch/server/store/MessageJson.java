// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.store;

import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.Change;
import io.pocketwatch.store.StoredMessage.MessageState;
import org.jspecify.annotations.Nullable;

/**
 * A stored message in the shape of its JSON object; without its payload.
 *
 * @param deliverAt ISO-8601
 * @param bodyBytes how large its payload is
 */
record MessageJson(
    String route,
    String id,
    @Nullable String businessKey,
    MessageState state,
    String deliverAt,
    String exchange,
    String routingKey,
    String tracking,
    int generation,
    int attempts,
    int bodyBytes,
    String createdAt,
    String updatedAt,
    @Nullable String reason,
    @Nullable String changedBy,
    @Nullable String changedAt) {
  static MessageJson of(StoredMessage stored) {
    return of(stored, stored.message().body().length);
  }

  static MessageJson of(MessageSummary summary) {
    return of(summary.stored(), summary.bodyBytes());
  }

  private static MessageJson of(StoredMessage stored, int bodyBytes) {
    var message = stored.message();
    Change change = stored.lastChange();
    return new MessageJson(
        stored.key().route(),
        stored.key().id(),
        message.businessKey(),
        stored.state(),
        stored.deliverAt().toString(),
        message.exchange(),
        message.routingKey(),
        message.tracking().name().toLowerCase(java.util.Locale.ROOT),
        stored.generation(),
        stored.attempts(),
        bodyBytes,
        stored.createdAt().toString(),
        stored.updatedAt().toString(),
        stored.reason(),
        change == null ? null : change.by(),
        change == null ? null : change.at().toString());
  }
}
