// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.store;

import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.store.OverviewStore.Handler;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a stored message is doing now, and who has it: decided by its row alone. */
public enum Phase {
  /** Not due yet: the store holds it, or with {@code handoff} the broker. */
  HELD("held until due"),
  /** Due, and nobody has sent it. */
  UNSENT("due, to be sent"),
  /** Somebody has claimed it and is sending it, or has sent it a moment ago. */
  BEING_SENT("being sent"),
  /** Sent, and no consumer has begun it. */
  IN_QUEUE("sent, waits in its queue"),
  /** A consumer has begun it and not ended it. */
  BEING_HANDLED("being handled"),
  /** A consumer has put it off, or sending it has failed. */
  WAITS_FOR_NEXT_TRY("waits for its next try"),
  /** With {@code handoff}, and due: what became of it nobody tells us. */
  HANDED_OFF("handed to the broker"),
  /** Ended well. */
  SETTLED("settled"),
  /** Ended by its handler. */
  FAILED("failed"),
  /** Given up, and kept for a person. */
  PARKED("parked"),
  /** Ended by hand. */
  CANCELLED("cancelled");

  private final String words;

  Phase(String words) {
    this.words = words;
  }

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
      case PENDING, HELD -> row.handler() != null ? BEING_HANDLED : going(row, now);
    };
  }

  private static Phase going(MessageSummary row, Instant now) {
    StoredMessage stored = row.stored();
    if (stored.state() == MessageState.HELD) {
      return stored.message().tracking() == Tracking.FULL
          ? IN_QUEUE
          : stored.deliverAt().isAfter(now) ? HELD : HANDED_OFF;
    }
    if (!stored.nextAt().isAfter(now)) {
      return row.claimedUntil().isAfter(now) ? BEING_SENT : UNSENT;
    }
    return stored.nextAt().isAfter(stored.deliverAt()) ? WAITS_FOR_NEXT_TRY : HELD;
  }

  /** Who has it: {@code store}, {@code broker}, {@code queue} or {@code consumer}; or nobody. */
  @Nullable String holder(MessageState state) {
    return switch (this) {
      case HELD -> state == MessageState.HELD ? "broker" : "store";
      case UNSENT, BEING_SENT, WAITS_FOR_NEXT_TRY -> "store";
      case HANDED_OFF -> "broker";
      case IN_QUEUE -> "queue";
      case BEING_HANDLED -> "consumer";
      case SETTLED, FAILED, PARKED, CANCELLED -> null;
    };
  }

  /** As JSON has it. */
  public String code() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** For people, with the instant or the consumer that belongs to it. */
  String words(MessageSummary row, Instant now) {
    Handler handler = row.handler();
    return switch (this) {
      case HELD -> words + (row.stored().state() == MessageState.HELD ? " by the broker" : "");
      case WAITS_FOR_NEXT_TRY -> words + ", " + Moments.relative(row.stored().nextAt(), now);
      case BEING_HANDLED ->
          handler == null
              ? words
              : "%s by %s, begun %s"
                  .formatted(words, handler.consumer(), Moments.relative(handler.begunAt(), now));
      default -> words;
    };
  }
}
