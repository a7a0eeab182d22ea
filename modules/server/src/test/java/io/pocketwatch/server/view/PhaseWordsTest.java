// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.server.cli.MessageTable;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.OverviewStore.Handler;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.Phase;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PhaseWordsTest {
  private static final Instant NOW = Instant.parse("2026-01-31T08:00:00Z");
  private static final Duration LATE = Duration.ofMinutes(-5);
  private static final Duration AHEAD = Duration.ofMinutes(5);
  private static final Handler HANDLER = new Handler("billing", NOW.minusSeconds(70));

  @Test
  void the_store_holds_it_until_it_is_due_and_sends_it_then() {
    assertThat(words(row(Tracking.FULL, MessageState.PENDING, AHEAD, AHEAD)))
        .isEqualTo("waiting/store: waiting");
    assertThat(words(row(Tracking.FULL, MessageState.PENDING, LATE, LATE)))
        .isEqualTo("due/store: due");
    assertThat(
            words(
                summary(
                    row(Tracking.FULL, MessageState.PENDING, LATE, LATE),
                    NOW.plusSeconds(1),
                    null)))
        .isEqualTo("due/loader: due, being sent");
    StoredMessage failed = row(Tracking.FULL, MessageState.PENDING, LATE, AHEAD);
    assertThat(words(failed)).isEqualTo("due/store: due, next try in 5 min");
    assertThat(words(postponed(failed))).isEqualTo("retrying/store: retrying in 5 min");
    assertThat(words(postponed(row(Tracking.FULL, MessageState.PENDING, LATE, LATE))))
        .isEqualTo("due/store: due");
  }

  @Test
  void what_is_sent_waits_or_is_being_handled() {
    StoredMessage sent = row(Tracking.FULL, MessageState.HELD, LATE, LATE);
    assertThat(words(sent)).isEqualTo("sent/queue: sent");
    assertThat(words(summary(sent, Instant.EPOCH, HANDLER)))
        .isEqualTo("being-handled/consumer: being handled by billing, begun 70 s ago");
    StoredMessage unwritten = row(Tracking.FULL, MessageState.PENDING, LATE, LATE);
    assertThat(words(summary(unwritten, NOW.plusSeconds(1), HANDLER))).startsWith("being-handled/");
  }

  /** With handoff the broker holds it, and nobody tells what comes then. */
  @Test
  void what_the_broker_holds_is_said_to_be_there() {
    assertThat(words(row(Tracking.HANDOFF, MessageState.PENDING, AHEAD, AHEAD)))
        .isEqualTo("waiting/store: waiting");
    assertThat(words(row(Tracking.HANDOFF, MessageState.HELD, AHEAD, AHEAD)))
        .isEqualTo("waiting/broker: waiting at the broker");
    StoredMessage gone = row(Tracking.HANDOFF, MessageState.HELD, LATE, LATE);
    assertThat(words(gone)).isEqualTo("handed-off/broker: handed off");
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

  /** So that no list, no {@code show} and no answer has words of its own. */
  @Test
  void every_phase_is_called_by_its_own_words() {
    StoredMessage pending = row(Tracking.FULL, MessageState.PENDING, LATE, AHEAD);
    StoredMessage sent = row(Tracking.FULL, MessageState.HELD, LATE, LATE);
    Map<Phase, MessageSummary> rows = new EnumMap<>(Phase.class);
    Stream.of(
            summary(row(Tracking.FULL, MessageState.PENDING, AHEAD, AHEAD), Instant.EPOCH, null),
            summary(pending, Instant.EPOCH, null),
            summary(postponed(pending), Instant.EPOCH, null),
            summary(sent, Instant.EPOCH, null),
            summary(sent, Instant.EPOCH, HANDLER),
            summary(row(Tracking.HANDOFF, MessageState.HELD, LATE, LATE), Instant.EPOCH, null),
            summary(row(Tracking.FULL, MessageState.SETTLED, LATE, LATE), Instant.EPOCH, null),
            summary(row(Tracking.FULL, MessageState.FAILED, LATE, LATE), Instant.EPOCH, null),
            summary(row(Tracking.FULL, MessageState.PARKED, LATE, LATE), Instant.EPOCH, null),
            summary(row(Tracking.FULL, MessageState.CANCELLED, LATE, LATE), Instant.EPOCH, null))
        .forEach(each -> rows.put(Phase.of(each, NOW), each));

    assertThat(rows).containsOnlyKeys(Phase.values());
    rows.forEach(
        (phase, row) -> {
          assertThat(MessageView.of(row, NOW).phase()).isEqualTo(phase.code());
          assertThat(MessageTable.of(List.of(row), NOW).get(1))
              .containsPattern(" " + row.stored().state() + " +" + phase.description() + "\\b");
          assertThat(row.stored().overdue(NOW)).isEqualTo(Phase.overdue().contains(phase));
        });
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
        .formatted(phase.code(), PhaseWords.holder(row, NOW), PhaseWords.of(row, NOW));
  }

  private static StoredMessage postponed(StoredMessage row) {
    return new StoredMessage(
        row.message(), row.state(), 1, 0, row.nextAt(), "q", null, NOW, NOW, null, null);
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
