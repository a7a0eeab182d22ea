// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ChangeWordsTest {
  private static final MessageKey KEY = new MessageKey("mail", "7");
  private static final Instant DUE = Instant.parse("2026-01-31T08:00:00Z");
  private static final Instant CHANGED = Instant.parse("2026-01-30T07:00:00Z");

  @Test
  void done_names_the_time_and_the_copy_that_is_out() {
    assertThat(words("cancelled", ChangeOutcome.DONE, MessageState.CANCELLED, null))
        .isEqualTo("Cancelled: mail/7, which was due 2026-01-31T08:00:00Z.");
    assertThat(words("retried", ChangeOutcome.DONE, MessageState.PENDING, DUE))
        .as("nobody skips it")
        .endsWith("waits for a loader. The copy that the broker holds arrives, too.");
    assertThat(words("rescheduled", ChangeOutcome.DONE, MessageState.HELD, DUE))
        .as("the broker has it for that instant already")
        .isEqualTo("Rescheduled: mail/7 is now due 2026-01-31T08:00:00Z.");
    assertThat(words(Tracking.FULL, "rescheduled", ChangeOutcome.DONE, MessageState.PENDING, DUE))
        .startsWith(
            "Rescheduled: mail/7 is now due 2026-01-31T08:00:00Z. A copy that was sent before");
  }

  @Test
  void too_late_says_why() {
    assertThat(words("cancelled", ChangeOutcome.TOO_LATE, MessageState.SETTLED, null))
        .isEqualTo("Not cancelled, too late: mail/7 was settled at 2026-01-30T07:00:00Z.");
    assertThat(words("cancelled", ChangeOutcome.TOO_LATE, MessageState.HELD, null))
        .contains("handed to the broker at 2026-01-30T07:00:00Z", "tracking handoff");
    assertThat(words("cancelled", ChangeOutcome.TOO_LATE, MessageState.PENDING, null))
        .contains("on its way to the broker");
  }

  @Test
  void being_handled_and_unknown() {
    assertThat(words("rescheduled", ChangeOutcome.BEING_HANDLED, MessageState.HELD, null))
        .contains("a consumer is handling mail/7 right now");
    assertThat(ChangeWords.of("rescheduled", KEY, ChangeOutcome.UNKNOWN, Optional.empty()))
        .startsWith("Not rescheduled: there is no message mail/7.");
  }

  private static String words(
      String done, ChangeOutcome outcome, MessageState state, @Nullable Instant heldUntil) {
    return words(Tracking.HANDOFF, done, outcome, state, heldUntil);
  }

  private static String words(
      Tracking tracking,
      String done,
      ChangeOutcome outcome,
      MessageState state,
      @Nullable Instant heldUntil) {
    ScheduledMessage message =
        new ScheduledMessage(KEY, null, "", "mail", new byte[0], new byte[0], DUE, tracking);
    StoredMessage row =
        new StoredMessage(
            message, state, 1, 0, CHANGED, null, heldUntil, CHANGED, CHANGED, null, null);
    return ChangeWords.of(done, KEY, outcome, Optional.of(row));
  }
}
