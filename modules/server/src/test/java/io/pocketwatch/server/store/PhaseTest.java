// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.OverviewStore.Handler;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PhaseTest {
  private static final Instant NOW = Instant.parse("2026-01-31T08:00:00Z");
  private static final Duration LATE = Duration.ofMinutes(-5);
  private static final Duration AHEAD = Duration.ofMinutes(5);
  private static final Handler HANDLER = new Handler("billing", NOW.minusSeconds(70));

  @Test
  void the_store_holds_it_until_it_is_due_and_sends_it_then() {
    assertThat(words(row(Tracking.FULL, MessageState.PENDING, AHEAD, AHEAD)))
        .isEqualTo("held/store: held until due");
    assertThat(words(row(Tracking.FULL, MessageState.PENDING, LATE, LATE)))
        .isEqualTo("unsent/store: due, to be sent");
    assertThat(
            words(
                summary(
                    row(Tracking.FULL, MessageState.PENDING, LATE, LATE),
                    NOW.plusSeconds(1),
                    null)))
        .isEqualTo("being-sent/store: being sent");
    assertThat(words(row(Tracking.FULL, MessageState.PENDING, LATE, AHEAD)))
        .isEqualTo("waits-for-next-try/store: waits for its next try, in 5 min");
  }

  @Test
  void what_is_sent_waits_or_is_being_handled() {
    StoredMessage sent = row(Tracking.FULL, MessageState.HELD, LATE, LATE);
    assertThat(words(sent)).isEqualTo("in-queue/queue: sent, waits in its queue");
    assertThat(words(summary(sent, Instant.EPOCH, HANDLER)))
        .isEqualTo("being-handled/consumer: being handled by billing, begun 70 s ago");
    StoredMessage unwritten = row(Tracking.FULL, MessageState.PENDING, LATE, LATE);
    assertThat(words(summary(unwritten, NOW.plusSeconds(1), HANDLER))).startsWith("being-handled/");
  }

  /** With handoff the broker holds it, and nobody tells what comes then. */
  @Test
  void what_the_broker_holds_is_said_to_be_there() {
    assertThat(words(row(Tracking.HANDOFF, MessageState.PENDING, AHEAD, AHEAD)))
        .isEqualTo("held/store: held until due");
    assertThat(words(row(Tracking.HANDOFF, MessageState.HELD, AHEAD, AHEAD)))
        .isEqualTo("held/broker: held until due by the broker");
    StoredMessage gone = row(Tracking.HANDOFF, MessageState.HELD, LATE, LATE);
    assertThat(words(gone)).isEqualTo("handed-off/broker: handed to the broker");
    assertThat(gone.overdue(NOW)).isFalse();
  }

  @Test
  void what_has_ended_is_called_by_its_state() {
    for (MessageState state :
        EnumSet.complementOf(EnumSet.of(MessageState.PENDING, MessageState.HELD))) {
      StoredMessage ended = row(Tracking.FULL, state, LATE, LATE);
      String name = state.name().toLowerCase(java.util.Locale.ROOT);
      assertThat(words(summary(ended, Instant.EPOCH, HANDLER))).isEqualTo(name + "/null: " + name);
      assertThat(ended.overdue(NOW)).isFalse();
    }
  }

  @Test
  void overdue_is_what_is_more_than_ten_seconds_late() {
    assertThat(overdue(MessageState.PENDING, -10_000)).isFalse();
    assertThat(overdue(MessageState.PENDING, -10_001)).isTrue();
    assertThat(overdue(MessageState.HELD, -10_001)).isTrue();
  }

  private static boolean overdue(MessageState state, long millis) {
    return row(Tracking.FULL, state, Duration.ofMillis(millis), AHEAD).overdue(NOW);
  }

  private static String words(StoredMessage row) {
    return words(summary(row, Instant.EPOCH, null));
  }

  private static String words(MessageSummary row) {
    Phase phase = Phase.of(row, NOW);
    return "%s/%s: %s"
        .formatted(phase.code(), phase.holder(row.stored().state()), phase.words(row, NOW));
  }

  private static MessageSummary summary(
      StoredMessage row, Instant claimedUntil, @Nullable Handler handler) {
    return new MessageSummary(row, 0, 0, claimedUntil, handler);
  }

  private static StoredMessage row(
      Tracking tracking, MessageState state, Duration due, Duration next) {
    ScheduledMessage message =
        new ScheduledMessage(
            new MessageKey("r", "a"),
            null,
            "",
            "q",
            new byte[0],
            new byte[0],
            NOW.plus(due),
            tracking);
    return new StoredMessage(
        message, state, 1, 0, NOW.plus(next), null, null, NOW, NOW, null, null);
  }
}
