// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.account;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.lab.faults.account.Journal.Step;
import io.pocketwatch.lab.faults.account.Messages.Message;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class AccountTest {
  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
  private static final Messages MESSAGES =
      new Messages("m-", 5, 400, BEGIN, Messages.Span.alone(Duration.ofSeconds(20)));

  private final Ledger ledger = new Ledger(MESSAGES);
  private final List<String> lines = new ArrayList<>();

  @Test
  void a_message_that_came_once_and_in_time_breaks_nothing() {
    everyMessage(message -> true);

    RoundResult result = result("loader-killed", HoldQueueType.QUORUM);

    assertThat(result.broken()).isEmpty();
    assertThat(result.of(Figure.HANDLED)).isEqualTo(400);
    assertThat(result.worstLatenessMs()).isEqualTo(40);
    assertThat(ledger.open()).isZero();
  }

  @Test
  void a_confirmed_message_that_never_came_is_lost() {
    Message lost = any(lane -> lane.name().equals("none-wheel-quorum"));
    everyMessage(message -> !message.equals(lost));
    line(Step.CONFIRMED, lost.due().toEpochMilli(), lost);

    RoundResult result = result("broker-killed", HoldQueueType.QUORUM);

    assertThat(result.of(Figure.LOST)).isEqualTo(1);
    assertThat(result.broken()).singleElement().asString().contains("lost: 1", lost.id());
    assertThat(ledger.open()).isEqualTo(1);
  }

  @Test
  void classic_hold_queues_may_lose_what_falls_due_while_the_broker_is_down_unless_tracked() {
    Message untracked = any(lane -> lane.name().equals("none-wheel-quorum"));
    Message tracked = any(lane -> lane.name().equals("full-wheel-quorum"));
    everyMessage(message -> !message.equals(untracked) && !message.equals(tracked));
    line(Step.CONFIRMED, untracked.due().toEpochMilli(), untracked);
    line(Step.CONFIRMED, tracked.due().toEpochMilli(), tracked);

    RoundResult result = result("broker-killed", HoldQueueType.CLASSIC);

    assertThat(result.of(Figure.LOST_ALLOWED)).isEqualTo(1);
    assertThat(result.broken()).singleElement().asString().contains("lost: 1", tracked.id());
  }

  @Test
  void an_effect_counts_on_a_guarded_lane_and_not_an_arrival() {
    Message tracked = any(Lane::guarded);
    everyMessage(message -> !message.equals(tracked));
    line(Step.CONFIRMED, tracked.due().toEpochMilli(), tracked);
    line(Step.DELIVERED, tracked.due().toEpochMilli(), tracked);

    assertThat(result("broker-killed", HoldQueueType.QUORUM).of(Figure.LOST)).isEqualTo(1);
  }

  @Test
  void early_is_early_unless_the_table_says_so_and_no_guard_stands_there() {
    Message plain = any(lane -> lane.name().equals("none-wheel-quorum"));
    Message guarded = any(Lane::guarded);
    everyMessage(message -> !message.equals(plain) && !message.equals(guarded));
    for (Message each : List.of(plain, guarded)) {
      line(Step.CONFIRMED, each.due().toEpochMilli(), each);
      line(Step.DELIVERED, each.due().toEpochMilli() - 1_900, each);
    }
    ledger.effects(Map.of(guarded.id(), guarded.due().toEpochMilli() - 1_900));

    RoundResult result = result("policy-message-ttl", HoldQueueType.QUORUM);

    assertThat(result.of(Figure.EARLY_ALLOWED)).isEqualTo(1);
    assertThat(result.broken()).singleElement().asString().contains("early: 1", guarded.id());
  }

  @Test
  void a_second_copy_is_a_broken_promise_unless_its_sender_had_no_answer() {
    Message unsure = any(lane -> lane.name().equals("none-ttl-quorum"));
    Message sure = any(lane -> lane.name().equals("none-ttl-classic"));
    everyMessage(message -> true);
    line(Step.UNCERTAIN, 0, unsure);
    for (Message each : List.of(unsure, sure)) {
      line(Step.DELIVERED, each.due().toEpochMilli() + 90, each);
    }

    RoundResult result = result("loader-killed", HoldQueueType.QUORUM);

    assertThat(result.of(Figure.DUPLICATE_DELIVERIES)).isEqualTo(2);
    assertThat(result.broken())
        .singleElement()
        .asString()
        .contains("duplicatesNotAllowed: 1", sure.id());
  }

  @Test
  void an_untracked_message_that_was_stored_may_come_twice_when_a_loader_dies() {
    Message held = any(lane -> lane.name().equals("none-ttl-quorum"));
    Message stored = any(lane -> lane.name().equals("none-temporary-quorum"));
    everyMessage(message -> !message.equals(stored));
    line(Step.TRIED, stored.due().toEpochMilli(), stored);
    line(Step.STORED, stored.due().toEpochMilli(), stored);
    line(Step.DELIVERED, stored.due().toEpochMilli() + 40, stored);
    for (Message each : List.of(held, stored)) {
      line(Step.DELIVERED, each.due().toEpochMilli() + 90, each);
    }

    RoundResult result = result("loader-killed", HoldQueueType.QUORUM);

    assertThat(result.of(Figure.CONFIRMED)).isEqualTo(400);
    assertThat(result.of(Figure.DUPLICATE_DELIVERIES)).isEqualTo(2);
    assertThat(result.broken())
        .singleElement()
        .asString()
        .contains("duplicatesNotAllowed: 1", held.id());
  }

  @Test
  void a_message_that_was_never_taken_is_one_too_few() {
    Message refused = any(lane -> lane.name().equals("handoff-wheel-quorum"));
    everyMessage(message -> !message.equals(refused));
    line(Step.REFUSED, 0, refused);

    assertThat(result("memory-alarm", HoldQueueType.QUORUM).broken())
        .singleElement()
        .asString()
        .contains("notTaken: 1", refused.id());
  }

  @Test
  void what_was_cancelled_is_not_missed_and_must_not_be_handled() {
    Message quiet = any(lane -> lane.name().equals("full-wheel-quorum"));
    Message handled = any(lane -> lane.name().equals("full-ttl-classic"));
    everyMessage(message -> !message.equals(quiet));
    line(Step.STORED, quiet.due().toEpochMilli(), quiet);
    for (Message each : List.of(quiet, handled)) {
      line(Step.CANCELLED, each.at().toEpochMilli(), each);
    }

    RoundResult result = result("broker-killed", HoldQueueType.QUORUM);

    assertThat(result.of(Figure.CANCELLED)).isEqualTo(2);
    assertThat(result.broken())
        .singleElement()
        .asString()
        .contains("handledAfterCancel: 1", handled.id());
    assertThat(ledger.open()).isZero();
  }

  @Test
  void what_was_moved_is_early_before_its_new_instant_and_its_old_copy_may_come() {
    Message early = any(lane -> lane.name().equals("full-wheel-quorum"));
    Message late = any(lane -> lane.name().equals("full-ttl-classic"));
    everyMessage(message -> true);
    for (Message each : List.of(early, late)) {
      long to = each.due().plusSeconds(2).toEpochMilli();
      line(Step.MOVING, to, each);
      line(Step.MOVED, to, each);
      line(Step.SKIPPED, each.due().toEpochMilli() + 40, each);
    }
    ledger.effects(Map.of(late.id(), late.due().plusSeconds(2).toEpochMilli()));

    RoundResult result = result("clock-ahead", HoldQueueType.QUORUM);

    assertThat(result.of(Figure.MOVED)).isEqualTo(2);
    assertThat(result.of(Figure.DUPLICATE_DELIVERIES)).isZero();
    assertThat(result.broken()).singleElement().asString().contains("early: 1", early.id());
  }

  @Test
  void a_row_that_would_send_again_what_is_done_is_left_behind() {
    Message left = any(Lane::guarded);
    Message untracked = any(lane -> !lane.guarded());
    everyMessage(message -> true);
    ledger.rowsLeft(Set.of(left.id(), untracked.id()));

    assertThat(result("loader-killed", HoldQueueType.QUORUM).broken())
        .singleElement()
        .asString()
        .contains("rowsLeft: 1", left.id());
  }

  private static Message any(Predicate<Lane> lane) {
    return MESSAGES.all().stream()
        .filter(message -> lane.test(message.lane()))
        .findFirst()
        .orElseThrow();
  }

  /** Confirmed, and handled 40 ms late. */
  private void everyMessage(Predicate<Message> wanted) {
    for (Message message : MESSAGES.all()) {
      if (wanted.test(message)) {
        long due = message.due().toEpochMilli();
        line(Step.TRIED, due, message);
        line(Step.CONFIRMED, due, message);
        line(Step.DELIVERED, due + 40, message);
        if (message.lane().guarded()) {
          ledger.effects(Map.of(message.id(), due + 40));
        }
      }
    }
  }

  private void line(Step step, long millis, Message message) {
    lines.add(new Journal.Line(step, millis, message.id()).toString());
  }

  private RoundResult result(String fault, HoldQueueType hold) {
    ledger.take(lines);
    Window always = new Window(fault, BEGIN, BEGIN.plusSeconds(60));
    return new Account(ledger, hold, Set.of(fault), List.of(always))
        .result(0, 0, 0, Map.of(fault, 1));
  }
}
