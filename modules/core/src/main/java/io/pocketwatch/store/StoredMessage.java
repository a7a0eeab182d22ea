// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A stored message as it was when read.
 *
 * @param message what was scheduled, with its present {@code deliverAt}
 * @param state where it is in its life
 * @param generation 1, and one more with every reschedule and re-release by hand; each copy on the
 *     broker carries the one it was made from
 * @param attempts hand-overs that failed for reasons of its own
 * @param heldUntil until when a copy may be on the broker, or null if none ever was
 * @param epoch the life of the broker's disk it was held in, or null
 * @param createdAt when it was inserted
 * @param updatedAt when it last changed
 * @param reason why it is parked, failed or held for another try, or null
 * @param lastChange the last cancel, reschedule or release, or null
 */
public record StoredMessage(
    ScheduledMessage message,
    MessageState state,
    int generation,
    int attempts,
    @Nullable Instant heldUntil,
    @Nullable String epoch,
    Instant createdAt,
    Instant updatedAt,
    @Nullable String reason,
    @Nullable Change lastChange) {

  public MessageKey key() {
    return message.key();
  }

  public Instant deliverAt() {
    return message.deliverAt();
  }
}
