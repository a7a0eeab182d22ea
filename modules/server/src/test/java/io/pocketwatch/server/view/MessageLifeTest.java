// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.OverviewStore.Changed;
import io.pocketwatch.store.OverviewStore.Handled;
import io.pocketwatch.store.OverviewStore.Life;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class MessageLifeTest {
  private static final Instant MADE = Instant.parse("2026-01-31T08:00:00Z");
  private static final Instant DUE = MADE.plusSeconds(3_600);

  @Test
  void a_message_that_waits_is_scheduled_and_due() {
    assertThat(
            MessageLife.of(
                stored(MessageState.PENDING, null, MADE, null), new Life(DUE, null, List.of())))
        .extracting(event -> event.get("what"))
        .containsExactly("scheduled", "due");
  }

  @ParameterizedTest
  @CsvSource({"FULL, sent", "HANDOFF, held"})
  void what_the_store_holds_until_it_is_due_is_sent_then(Tracking tracking, String what) {
    List<Map<String, @Nullable Object>> events =
        MessageLife.of(
            stored(tracking, MessageState.HELD, DUE.plusMillis(4), DUE.plusSeconds(5), null),
            new Life(DUE, null, List.of()));

    assertThat(events).extracting(event -> event.get("what")).contains("scheduled", what, "due");
    Map<String, @Nullable Object> copy =
        events.stream().filter(event -> what.equals(event.get("what"))).findFirst().orElseThrow();
    if (tracking == Tracking.FULL) {
      assertThat(copy).contains(entry("at", DUE.plusMillis(4))).doesNotContainKey("until");
      assertThat(events.get(events.size() - 1)).as("after it was due").isEqualTo(copy);
    } else {
      assertThat(copy).contains(entry("until", DUE.plusMillis(4)));
    }
  }

  /** What marks a row comes some seconds after the broker's confirm. */
  @ParameterizedTest
  @EnumSource
  void no_life_ends_before_it_begins(Tracking tracking) {
    for (MessageState state : MessageState.values()) {
      for (int updated = -4_000; updated <= 8_000; updated += 500) {
        for (int until = -1_000; until <= 6_000; until += 500) {
          List<Map<String, @Nullable Object>> events =
              MessageLife.of(
                  stored(tracking, state, DUE.plusMillis(until), DUE.plusMillis(updated), "x"),
                  new Life(DUE, null, List.of()));
          assertThat(events)
              .as("%s, changed %d ms and held until %d ms after it was due", state, updated, until)
              .allSatisfy(
                  event -> {
                    Instant at = (Instant) event.get("at");
                    Instant end = (Instant) event.get("until");
                    assertThat(at == null || end == null || !end.isBefore(at)).isTrue();
                  });
        }
      }
    }
  }

  @Test
  void it_was_sent_before_it_was_handled() {
    Instant begun = DUE.plusMillis(3);
    Life life = new Life(DUE, new Handled("mail", begun, DUE.plusSeconds(9)), List.of());

    assertThat(MessageLife.of(stored(MessageState.SETTLED, DUE.plusMillis(4), DUE, null), life))
        .extracting(event -> event.get("what"))
        .as("the confirm may come later")
        .containsExactly("scheduled", "due", "sent", "delivered", "settled");
  }

  @Test
  void moved_held_delivered_and_settled() {
    Instant first = MADE.plusSeconds(60);
    Life life =
        new Life(
            first,
            new Handled("mail", DUE.plusMillis(7), DUE.plusMillis(12)),
            List.of(new Changed(Changed.Kind.RESCHEDULED, MADE.plusSeconds(5), DUE, "http:ops")));

    List<Map<String, @Nullable Object>> events =
        MessageLife.of(stored(Tracking.HANDOFF, MessageState.SETTLED, DUE, DUE, null), life);

    assertThat(events)
        .extracting(event -> event.get("what"))
        .containsExactly("scheduled", "rescheduled", "held", "due", "delivered", "settled");
    assertThat(events.get(0)).contains(entry("at", MADE), entry("due", first));
    assertThat(events.get(1)).contains(entry("by", "http:ops"), entry("due", DUE));
    assertThat(events.get(2)).contains(entry("at", null), entry("until", DUE));
    assertThat(events.get(4)).contains(entry("consumer", "mail"), entry("lateMs", 7L));
  }

  @Test
  void what_was_moved_to_now_is_due_after_that() {
    Life life =
        new Life(
            DUE.plusSeconds(60),
            null,
            List.of(new Changed(Changed.Kind.RESCHEDULED, DUE.plusMillis(3), DUE, null)));

    assertThat(MessageLife.of(stored(MessageState.PENDING, null, DUE, null), life))
        .extracting(event -> event.get("what"))
        .containsExactly("scheduled", "rescheduled", "due");
  }

  @Test
  void what_is_held_now_says_since_when() {
    Instant held = DUE.minusSeconds(30);

    assertThat(
            MessageLife.of(
                stored(Tracking.HANDOFF, MessageState.HELD, DUE, held, null),
                new Life(DUE, null, List.of())))
        .element(1)
        .satisfies(event -> assertThat(event).contains(entry("what", "held"), entry("at", held)));
  }

  @Test
  void what_was_given_up_says_why_and_what_was_cancelled_is_not_due() {
    assertThat(
            MessageLife.of(
                stored(MessageState.PARKED, null, DUE, "no queue"), new Life(DUE, null, List.of())))
        .last()
        .satisfies(
            event ->
                assertThat(event).contains(entry("what", "parked"), entry("reason", "no queue")));
    assertThat(
            MessageLife.of(
                stored(MessageState.CANCELLED, null, DUE, null),
                new Life(
                    DUE,
                    null,
                    List.of(new Changed(Changed.Kind.CANCELLED, MADE.plusSeconds(1), null, null)))))
        .extracting(event -> event.get("what"))
        .containsExactly("scheduled", "cancelled");
  }

  private static StoredMessage stored(
      MessageState state, @Nullable Instant heldUntil, Instant updated, @Nullable String reason) {
    return stored(Tracking.FULL, state, heldUntil, updated, reason);
  }

  private static StoredMessage stored(
      Tracking tracking,
      MessageState state,
      @Nullable Instant heldUntil,
      Instant updated,
      @Nullable String reason) {
    return new StoredMessage(
        new ScheduledMessage(
            new MessageKey("mail", "m-1"),
            null,
            "",
            "mail",
            new byte[] {0, 0},
            new byte[0],
            DUE,
            tracking),
        state,
        1,
        0,
        DUE,
        null,
        heldUntil,
        MADE,
        updated,
        reason,
        null);
  }
}
