// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * The phase of a stored message, which its row alone decides. REST, console, commands, metrics and
 * alerts use these names.
 */
public enum Phase {
  /** Not due yet: the store holds it, or with {@code HANDOFF} the broker. */
  WAITING,
  /** Due and not sent: nobody has sent it yet, it is being sent, or sending it has failed. */
  DUE,
  /** Sent, and no consumer has begun it. */
  SENT,
  /** A consumer has begun it and not ended it. */
  BEING_HANDLED,
  /** Deferred by its consumer, or retried by its route, until its next try. */
  RETRYING,
  /** Due with {@code HANDOFF}: the store does not learn what became of it. */
  HANDED_OFF,
  /** Handled by its consumer. */
  SETTLED,
  /** Its handler has failed. */
  FAILED,
  /** Given up, and kept for a person. */
  PARKED,
  /** Ended by hand. */
  CANCELLED;

  private static final Set<Phase> OVERDUE =
      Collections.unmodifiableSet(EnumSet.of(DUE, SENT, BEING_HANDLED, RETRYING));

  /**
   * The phase of a row.
   *
   * @param now on the store's clock
   */
  public static Phase of(MessageSummary row, Instant now) {
    StoredMessage stored = row.stored();
    return switch (stored.state()) {
      case SETTLED -> SETTLED;
      case FAILED -> FAILED;
      case PARKED -> PARKED;
      case CANCELLED -> CANCELLED;
      case PENDING, HELD -> row.handler() != null ? BEING_HANDLED : going(stored, now);
    };
  }

  private static Phase going(StoredMessage stored, Instant now) {
    boolean early = stored.deliverAt().isAfter(now);
    if (stored.state() == MessageState.HELD) {
      return stored.message().tracking() == Tracking.FULL ? SENT : early ? WAITING : HANDED_OFF;
    }
    if (stored.nextQueue() != null && stored.nextAt().isAfter(now)) {
      return RETRYING;
    }
    return early ? WAITING : DUE;
  }

  /** The phases of {@linkplain StoredMessage#overdue overdue} messages. */
  public static Set<Phase> overdue() {
    return OVERDUE;
  }

  /** As JSON and tags of metrics have it: {@code being-handled}. */
  public String code() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** As people read it: {@code being handled}. */
  public String description() {
    return code().replace('-', ' ');
  }
}
