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
 * What a stored message is doing now: decided by its row alone. REST, console, commands, metrics
 * and alerts call it by these names.
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
  /** Its consumer has put it off until its next try. */
  RETRYING,
  /** With {@code HANDOFF}, and due: nobody tells us what became of it. */
  HANDED_OFF,
  /** Ended well. */
  SETTLED,
  /** Ended by its handler. */
  FAILED,
  /** Given up, and kept for a person. */
  PARKED,
  /** Ended by hand. */
  CANCELLED;

  private static final Set<Phase> OVERDUE =
      Collections.unmodifiableSet(EnumSet.of(DUE, SENT, BEING_HANDLED, RETRYING));

  /**
   * What this row says.
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

  /** Those that an {@linkplain StoredMessage#overdue overdue} message may be in. */
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
