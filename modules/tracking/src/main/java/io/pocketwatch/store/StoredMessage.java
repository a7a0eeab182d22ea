// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import io.pocketwatch.config.DelayRoute.Tracking;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A stored message as it was when read.
 *
 * @param message what was scheduled, with its present {@code deliverAt}
 * @param state where it is in its life
 * @param generation 1, and one more with every reschedule and retry by hand; each copy on the
 *     broker carries the one it was made from
 * @param attempts hand-offs that failed for reasons of its own
 * @param nextAt when it is to be sent, or was sent last. That is {@code deliverAt}, or later if a
 *     consumer has deferred it, or sending it has failed
 * @param nextQueue the queue that alone gets it then, or null for its own target
 * @param heldUntil with {@code FULL}, when the last copy was sent to its target; else until when
 *     the broker may hold one. Null if none ever was sent
 * @param createdAt when it was inserted
 * @param updatedAt when it last changed
 * @param reason why it is parked, failed or to be tried again, or null
 * @param lastChange the last cancel, reschedule or retry, or null
 */
public record StoredMessage(
    ScheduledMessage message,
    MessageState state,
    int generation,
    int attempts,
    Instant nextAt,
    @Nullable String nextQueue,
    @Nullable Instant heldUntil,
    Instant createdAt,
    Instant updatedAt,
    @Nullable String reason,
    @Nullable Change lastChange) {
  /** The lateness above which a message is overdue. */
  public static final Duration OVERDUE_AFTER = Duration.ofSeconds(10);

  /** A message as it is after its insert. */
  public static StoredMessage inserted(ScheduledMessage row, Instant now) {
    return new StoredMessage(
        row, MessageState.PENDING, 1, 0, row.deliverAt(), null, null, now, now, null, null);
  }

  /** A copy that goes to its own target. */
  public StoredMessage toAll() {
    return with(message, null);
  }

  /** A copy without its body and its properties. */
  public StoredMessage withoutContent() {
    return with(message.withoutContent(), nextQueue);
  }

  private StoredMessage with(ScheduledMessage other, @Nullable String queue) {
    return new StoredMessage(
        other,
        state,
        generation,
        attempts,
        nextAt,
        queue,
        heldUntil,
        createdAt,
        updatedAt,
        reason,
        lastChange);
  }

  /**
   * Whether it goes straight to its target when due: what is tracked to the end, and what one queue
   * alone gets.
   */
  public boolean sentWhenDue() {
    return message.tracking() == Tracking.FULL || nextQueue != null;
  }

  /**
   * Whether its instant is past by more than {@link #OVERDUE_AFTER}, and it has not ended. A
   * message that the broker holds with {@code HANDOFF} is not overdue, since its end is not known.
   * This is for display and warnings; a loader decides what is sent again, after its grace.
   */
  public boolean overdue(Instant now) {
    return (state == MessageState.PENDING
            || (state == MessageState.HELD && message.tracking() == Tracking.FULL))
        && deliverAt().isBefore(now.minus(OVERDUE_AFTER));
  }

  public MessageKey key() {
    return message.key();
  }

  public Instant deliverAt() {
    return message.deliverAt();
  }

  /**
   * A cancel, reschedule or retry by hand.
   *
   * @param by who did it, as they were named; null if nobody was
   * @param at when
   */
  public record Change(@Nullable String by, Instant at) {}

  /** Where a stored message is in its life. */
  public enum MessageState {
    /** In the database only, or leased to a process that sends or handles it now. */
    PENDING,
    /**
     * On the broker, which confirmed it and did not return it. Tracked to the end, it waits in its
     * consumer's queue. With {@code HANDOFF} the broker holds it until it is due.
     */
    HELD,
    /** Its consumer has settled it. */
    SETTLED,
    /** Cancelled; a copy that was sent before is skipped when it arrives. */
    CANCELLED,
    /** It arrived and its handler failed; retrying is now up to the consumer's own set-up. */
    FAILED,
    /** Given up, with a reason, and kept for a person. */
    PARKED;

    /** Whether nothing more happens to it by itself. */
    public boolean finished() {
      return this == SETTLED || this == CANCELLED || this == FAILED || this == PARKED;
    }
  }
}
