// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.view;

import io.pocketwatch.store.OverviewStore.Handler;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.Phase;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Describes a message's phase, with its holder, and since when or until when. */
public final class PhaseWords {
  private PhaseWords() {}

  /** The description of its phase, with its details. */
  public static String of(MessageSummary row, Instant now) {
    Phase phase = Phase.of(row, now);
    return phase.description() + more(phase, row, now);
  }

  private static String more(Phase phase, MessageSummary row, Instant now) {
    Instant next = row.stored().nextAt();
    Handler handler = row.handler();
    return switch (phase) {
      case WAITING -> row.stored().state() == MessageState.HELD ? " at the broker" : "";
      case DUE ->
          sends(row, now)
              ? ", being sent"
              : next.isAfter(now) ? ", next try " + TimeText.relative(next, now) : "";
      case RETRYING -> " " + TimeText.relative(next, now);
      case BEING_HANDLED ->
          handler == null
              ? ""
              : " by %s, begun %s"
                  .formatted(handler.consumer(), TimeText.relative(handler.begunAt(), now));
      case SENT, HANDED_OFF, SETTLED, FAILED, PARKED, CANCELLED -> "";
    };
  }

  /** {@code store}, {@code loader}, {@code broker}, {@code queue}, {@code consumer}; or nobody. */
  static @Nullable String holder(MessageSummary row, Instant now) {
    StoredMessage stored = row.stored();
    return switch (Phase.of(row, now)) {
      case WAITING -> stored.state() == MessageState.HELD ? "broker" : "store";
      case DUE -> sends(row, now) ? "loader" : "store";
      case RETRYING -> "store";
      case HANDED_OFF -> "broker";
      case SENT -> "queue";
      case BEING_HANDLED -> "consumer";
      case SETTLED, FAILED, PARKED, CANCELLED -> null;
    };
  }

  private static boolean sends(MessageSummary row, Instant now) {
    return row.claimedUntil().isAfter(now);
  }
}
