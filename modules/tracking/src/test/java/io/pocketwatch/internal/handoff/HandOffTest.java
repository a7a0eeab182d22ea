// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import static io.pocketwatch.internal.handoff.HandOffScene.NOW;
import static io.pocketwatch.internal.handoff.HandOffScene.answered;
import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.Headers;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.PublishReceipt.Cause;
import io.pocketwatch.internal.plan.Submission;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.Conclusion.Kind;
import io.pocketwatch.store.HandOffResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of claimed rows, whatever the broker does. */
class HandOffTest {
  private final HandOffScene scene = new HandOffScene();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void what_is_claimed_ahead_is_sent_when_due_and_not_before() throws Exception {
    scene.stored("second", NOW.plusMillis(1_500), 0, null);
    scene.stored("first", NOW.plusMillis(900), 0, null);
    scene.stored("later", NOW.plusSeconds(3), 0, null);

    assertThat(scene.claimDue()).as("within two seconds").hasValue(2);
    scene.time.advance(Duration.ofMillis(300));
    assertThat(scene.sent).as("not due").isEmpty();
    scene.now = NOW.plusMillis(899);
    scene.time.advance(Duration.ofMillis(300));
    assertThat(scene.sent).as("not due").isEmpty();
    scene.now = NOW.plusMillis(900);
    assertThat(scene.next(scene.sent).id()).isEqualTo("first");
    scene.now = NOW.plusMillis(1_500);
    assertThat(scene.next(scene.sent).id()).isEqualTo("second");

    assertThat(scene.concluded).as("settled perhaps before").isEmpty();
    scene.close();
    for (int i = 0; i < 2; i++) {
      Conclusion end = scene.next(scene.concluded);
      assertThat(end.kind()).isEqualTo(Kind.SENT);
      assertThat(end.heldUntil())
          .as("when it was sent")
          .isBetween(end.claim().message().nextAt(), NOW.plusMillis(1_500));
    }
  }

  /** The rows of a backlog would lie in front of those that are to be claimed. */
  @Test
  void what_was_late_when_claimed_is_marked_at_once() throws Exception {
    scene.stored("late", NOW.minusMillis(1), 0, null);
    scene.claimDue();
    scene.time.advance(Duration.ofMillis(10));

    assertThat(scene.concluded).extracting(Conclusion::kind).containsExactly(Kind.SENT);
  }

  /**
   * What is begun by then needs no mark: in a burst that saves the database a change per message.
   */
  @Test
  void a_sent_message_is_marked_when_half_of_its_lease_is_over() {
    scene.stored("a", NOW, 0, null);
    scene.claimDue();
    scene.time.advance(Duration.ofSeconds(7));
    assertThat(scene.sent).hasSize(1);
    assertThat(scene.concluded).isEmpty();
    scene.time.advance(Duration.ofSeconds(1));
    assertThat(scene.concluded).extracting(Conclusion::kind).containsExactly(Kind.SENT);
  }

  @Test
  void what_waits_when_this_is_closed_is_given_back_and_not_sent() throws Exception {
    scene.stored("a", NOW.plusMillis(1_500), 0, null);
    scene.claimDue();

    scene.close();

    assertThat(scene.next(scene.concluded).kind()).isEqualTo(Kind.GIVE_BACK);
    assertThat(scene.sent).isEmpty();
  }

  @Test
  void what_is_claimed_while_this_stops_is_given_back_and_not_sent() {
    scene.handOff.stopTaking(Duration.ofSeconds(5));
    scene.stored("a", NOW, 0, null);

    assertThat(scene.claimDue()).isEmpty();

    assertThat(scene.next(scene.concluded).kind()).isEqualTo(Kind.GIVE_BACK);
    assertThat(scene.sent).isEmpty();
    assertThat(scene.handOff.claimedDue(HandOffScene.ROUTE)).isZero();
  }

  @Test
  void a_next_try_goes_to_its_consumers_queue_alone_and_looks_like_any_copy() throws Exception {
    scene.stored("a", NOW, 0, "mail");
    scene.claimDue();

    Submission copy = scene.next(scene.sent);
    assertThat(copy.message().exchange()).isEmpty();
    assertThat(copy.message().routingKey()).isEqualTo("mail");
    assertThat(copy.message().properties().getHeaders())
        .containsEntry(Headers.ROUTE, HandOffScene.ROUTE)
        .containsEntry(Headers.EXCHANGE, HandOffScene.ROUTE)
        .containsEntry(Headers.ROUTING_KEY, "key")
        .containsEntry(Headers.DELIVER_AT, NOW.toEpochMilli());
    assertThat(copy.message().properties().getMessageId()).isEqualTo("a");
    Conclusion end = scene.next(scene.concluded);
    assertThat(end.kind()).as("at once: others may wait for it").isEqualTo(Kind.SENT);
  }

  @Test
  void if_that_queue_is_gone_it_goes_to_its_target() throws Exception {
    scene.broker =
        submission ->
            submission.message().exchange().isEmpty()
                ? answered(submission, PublishOutcome.RETURNED, Cause.NO_ROUTE)
                : answered(submission, PublishOutcome.CONFIRMED, Cause.NONE);
    scene.stored("a", NOW, 0, "gone");
    scene.claimDue();

    assertThat(scene.next(scene.sent).message().routingKey()).isEqualTo("gone");
    assertThat(scene.next(scene.sent).message().exchange()).isEqualTo(HandOffScene.ROUTE);
    assertThat(scene.next(scene.concluded).kind()).isEqualTo(Kind.SENT);
  }

  @Test
  void what_the_broker_does_not_take_is_free_at_once() throws Exception {
    assertThat(endOf(PublishOutcome.REJECTED, Cause.BLOCKED)).isEqualTo("GIVE_BACK");
    scene.connected = false;
    assertThat(endOf(PublishOutcome.UNCERTAIN, Cause.NO_ANSWER)).isEqualTo("GIVE_BACK unknown");
    assertThat(endOf(PublishOutcome.UNCERTAIN, Cause.CHANNEL_LOST)).isEqualTo("GIVE_BACK unknown");
  }

  /** Else its copies would go out again and again, and take all places in flight. */
  @Test
  void what_its_target_does_not_confirm_waits_longer_and_longer() throws Exception {
    scene.broker = submission -> answered(submission, PublishOutcome.UNCERTAIN, Cause.NO_ANSWER);
    Duration before = Duration.ZERO;
    for (int attempts = 0; attempts < 3; attempts++) {
      scene.stored("a", NOW, attempts, null);
      scene.claimDue();
      Conclusion end = scene.next(scene.concluded);
      assertThat(end.kind()).isEqualTo(Kind.POSTPONE);
      assertThat(end.outcomeUnknown()).as("may be there").isTrue();
      assertThat(end.pause()).isGreaterThan(before);
      before = end.pause();
    }
  }

  @Test
  void what_others_leave_no_place_was_not_sent_and_waits_a_second() throws Exception {
    scene.broker = submission -> answered(submission, PublishOutcome.REJECTED, Cause.NO_ROOM);
    scene.stored("a", NOW, 0, null);
    scene.claimDue();
    Conclusion end = scene.next(scene.concluded);
    assertThat(end.kind()).isEqualTo(Kind.POSTPONE);
    assertThat(end.outcomeUnknown()).isFalse();
    assertThat(end.pause()).isEqualTo(Duration.ofSeconds(1));
  }

  /** A queue may be declared a moment after the loader has started; its patience is not used up. */
  @Test
  void a_target_that_is_missing_is_looked_for_after_a_second_and_then_ever_later()
      throws Exception {
    scene.broker = submission -> answered(submission, PublishOutcome.RETURNED, Cause.NO_ROUTE);
    List<Duration> pauses = new ArrayList<>();
    for (int attempts = 0; attempts < 3; attempts++) {
      scene.stored("a", NOW.minus(Duration.ofDays(1)), attempts, null);
      scene.claimDue();
      Conclusion end = scene.next(scene.concluded);
      assertThat(end.kind()).isEqualTo(Kind.POSTPONE);
      pauses.add(end.pause());
    }
    assertThat(pauses)
        .containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofMinutes(1));
  }

  @Test
  void what_a_publisher_that_closes_may_have_sent_is_free_at_once() {
    scene.broker =
        submission -> CompletableFuture.failedFuture(new IllegalStateException("closed"));
    scene.stored("a", NOW, 0, null);
    scene.claimDue();

    Conclusion end = scene.next(scene.concluded);
    assertThat(end.kind()).isEqualTo(Kind.GIVE_BACK);
    assertThat(end.outcomeUnknown()).isTrue();
  }

  @Test
  void an_end_is_written_when_the_store_is_back_and_not_after_its_lease() {
    scene.storeIsAway = true;
    scene.stored("late", NOW.minusMillis(1), 0, null);
    scene.claimDue();
    scene.time.advance(Duration.ofSeconds(30));
    scene.storeIsAway = false;
    scene.time.advance(Duration.ofSeconds(1));
    assertThat(scene.concluded).extracting(Conclusion::kind).containsExactly(Kind.SENT);

    scene.concluded.clear();
    scene.storeIsAway = true;
    scene.stored("later", NOW.minusMillis(1), 0, null);
    scene.claimDue();
    scene.time.advance(Duration.ofMinutes(3));
    scene.storeIsAway = false;
    scene.time.advance(Duration.ofMinutes(3));
    assertThat(scene.concluded).as("others may have it").isEmpty();
  }

  @Test
  void what_has_no_target_or_is_refused_waits() throws Exception {
    assertThat(endOf(PublishOutcome.RETURNED, Cause.NO_ROUTE)).isEqualTo("POSTPONE");
    assertThat(endOf(PublishOutcome.REJECTED, Cause.NACKED)).isEqualTo("POSTPONE unknown");
  }

  @Test
  void what_cannot_be_sent_is_parked() throws Exception {
    scene.broker =
        submission ->
            CompletableFuture.failedFuture(
                new InvalidMessageException(submission.id(), "too large"));
    scene.stored("a", NOW, 0, null);
    scene.claimDue();

    Conclusion end = scene.next(scene.concluded);
    assertThat(end.kind()).isEqualTo(Kind.PARK);
    assertThat(end.reason()).contains("too large");
  }

  /** Neighbours of the culprit lose an attempt, and pass the next time. */
  @Test
  void one_that_closes_its_channel_is_known_by_its_attempts() throws Exception {
    scene.broker =
        submission ->
            submission.id().equals("poison")
                ? answered(submission, PublishOutcome.UNCERTAIN, Cause.CHANNEL_LOST)
                : answered(submission, PublishOutcome.CONFIRMED, Cause.NONE);
    for (int attempts = 0; attempts < 3; attempts++) {
      scene.stored("poison", NOW, attempts, null);
      scene.claimDue();
      Conclusion end = scene.next(scene.concluded);
      assertThat(end.kind()).isEqualTo(Kind.POSTPONE);
      assertThat(end.outcomeUnknown()).isTrue();
      assertThat(end.pause()).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
      scene.sent.clear();
    }
    scene.stored("poison", NOW, 3, null);
    scene.claimDue();
    assertThat(scene.next(scene.concluded).kind()).as("nobody has passed").isEqualTo(Kind.POSTPONE);

    scene.stored("sound", NOW, 1, "mail");
    scene.claimDue();
    assertThat(scene.next(scene.concluded).kind()).isEqualTo(Kind.SENT);
    scene.stored("poison", NOW, 4, null);
    scene.claimDue();
    Conclusion end = scene.next(scene.concluded);
    assertThat(end.kind()).isEqualTo(Kind.PARK);
    assertThat(end.reason()).isEqualTo("in the broker's words");
  }

  /** It may be changed and released, or another process may have blamed it. */
  @Test
  void one_that_was_parked_is_no_suspect_any_more() throws Exception {
    closesItsChannel("poison");
    claimed("poison", 3);
    claimed("sound", 0);
    assertThat(claimed("poison", 3).kind()).isEqualTo(Kind.PARK);

    assertThat(claimed("poison", 3).kind()).as("not sent alone yet").isEqualTo(Kind.POSTPONE);
  }

  @Test
  void of_too_many_suspects_the_latest_are_remembered() throws Exception {
    closesItsChannel("poison");
    for (int i = 0; i < 10_000; i++) {
      scene.handOff.failed(scene.lostChannel("neighbour-" + i));
    }
    claimed("poison", 3);
    claimed("sound", 0);

    assertThat(claimed("poison", 3).kind()).isEqualTo(Kind.PARK);
  }

  @Test
  void a_suspect_is_sent_on_a_channel_of_its_own() throws Exception {
    closesItsChannel("poison");

    claimed("poison", 0);
    claimed("poison", 1);

    assertThat(scene.next(scene.sent).ownChannel()).isFalse();
    assertThat(scene.next(scene.sent).ownChannel()).isTrue();
  }

  /** A loader may have it, and nobody would skip the second copy. */
  @Test
  void a_suspect_whose_turn_comes_after_its_lease_is_given_back() throws Exception {
    closesItsChannel("a", "b");
    claimed("a", 0);
    claimed("b", 0);
    scene.sent.clear();
    CompletableFuture<PublishReceipt> answer = new CompletableFuture<>();
    scene.broker = submission -> answer;
    scene.stored("a", NOW.minusSeconds(1), 1, null);
    scene.stored("b", NOW, 1, null);
    scene.claimDue();
    Submission first = scene.next(scene.sent);

    scene.time.advance(Duration.ofSeconds(10)); // of a lease of 15 s
    answer.complete(answered(first, PublishOutcome.CONFIRMED, Cause.NONE).join());

    Map<String, Kind> ends = new HashMap<>();
    for (int i = 0; i < 2; i++) {
      Conclusion end = scene.next(scene.concluded);
      ends.put(end.claim().key().id(), end.kind());
    }
    assertThat(ends).isEqualTo(Map.of("a", Kind.SENT, "b", Kind.GIVE_BACK));
    assertThat(scene.sent).as("b").isEmpty();
  }

  @Test
  void likewise_one_of_a_loaders_batch() throws Exception {
    closesItsChannel("a", "b");
    scene.handOff.failed(scene.await(scene.handOff("a", 0)));
    scene.handOff.failed(scene.await(scene.handOff("b", 0)));
    scene.sent.clear();
    CompletableFuture<PublishReceipt> answer = new CompletableFuture<>();
    scene.broker = submission -> answer;
    scene.handOff("a", 1);
    CompletableFuture<HandOffResult> second = scene.handOff("b", 1);
    Submission first = scene.next(scene.sent);

    scene.time.advance(Duration.ofMinutes(1)); // of a lease of two
    answer.complete(answered(first, PublishOutcome.CONFIRMED, Cause.NONE).join());

    HandOffResult late = scene.await(second);
    assertThat(scene.handOff.failed(late).kind()).isEqualTo(Kind.GIVE_BACK);
    assertThat(scene.handOff.failed(late).outcomeUnknown()).isFalse();
    assertThat(scene.sent).as("b").isEmpty();
  }

  private void closesItsChannel(String... ids) {
    scene.broker =
        submission ->
            List.of(ids).contains(submission.id())
                ? answered(submission, PublishOutcome.UNCERTAIN, Cause.CHANNEL_LOST)
                : answered(submission, PublishOutcome.CONFIRMED, Cause.NONE);
  }

  private Conclusion claimed(String id, int attempts) throws Exception {
    scene.stored(id, NOW.minusSeconds(1), attempts, null);
    scene.claimDue();
    return scene.next(scene.concluded);
  }

  /** With {@code topology: assume} nobody asks for it before. */
  @Test
  void one_whose_exchange_is_missing_or_refuses_waits_for_its_target_on_a_channel_of_its_own()
      throws Exception {
    for (Cause cause : List.of(Cause.NO_EXCHANGE, Cause.EXCHANGE_REFUSED)) {
      scene.broker = submission -> answered(submission, PublishOutcome.UNCERTAIN, cause);
      Conclusion end = claimed("a", 3);
      assertThat(end.kind()).isEqualTo(Kind.POSTPONE);
      assertThat(end.outcomeUnknown()).isTrue();
      closesItsChannel();
      claimed("sound", 0);
      scene.broker = submission -> answered(submission, PublishOutcome.UNCERTAIN, cause);
      assertThat(claimed("a", 4).kind()).as("others pass").isEqualTo(Kind.POSTPONE);
    }
    assertThat(scene.sent.stream().filter(Submission::ownChannel).map(Submission::id))
        .isNotEmpty()
        .containsOnly("a");
  }

  @Test
  void no_more_is_claimed_than_there_is_room_for() {
    for (int i = 0; i < 10_005; i++) {
      scene.stored("m-" + i, NOW.plusMillis(1_900), 0, null);
    }
    int claimed = 0;
    OptionalInt taken = scene.claimDue();
    for (; taken.isPresent() && claimed < 20_000; taken = scene.claimDue()) {
      claimed += taken.getAsInt();
    }
    assertThat(claimed).isEqualTo(10_000);
    scene.time.advance(Duration.ofMillis(10));
    assertThat(scene.concluded).as("given back").isEmpty();
  }

  @Test
  void nothing_there_is_not_the_same_as_no_room() {
    assertThat(scene.claimDue()).hasValue(0);
  }

  @Test
  void what_was_claimed_counts_until_the_broker_has_answered() throws Exception {
    CompletableFuture<PublishReceipt> answer = new CompletableFuture<>();
    scene.broker = submission -> answer;
    scene.stored("a", NOW.plusMillis(900), 0, "mail");
    scene.claimDue();
    assertThat(scene.handOff.claimedDue(HandOffScene.ROUTE)).as("waits").isEqualTo(1);
    scene.now = NOW.plusMillis(900);
    Submission sent = scene.next(scene.sent);
    assertThat(scene.handOff.claimedDue(HandOffScene.ROUTE)).as("was sent").isEqualTo(1);

    answer.complete(answered(sent, PublishOutcome.CONFIRMED, Cause.NONE).join());

    assertThat(scene.next(scene.concluded).kind()).isEqualTo(Kind.SENT);
    assertThat(scene.handOff.claimedDue(HandOffScene.ROUTE)).isZero();
  }

  /** Or the route would not be claimed for an hour. */
  @Test
  void what_a_clock_that_was_set_back_has_put_off_is_given_back_and_counts_no_more()
      throws Exception {
    scene.stored("a", NOW.plusMillis(1_500), 0, null);
    scene.claimDue();
    scene.now = NOW.minusSeconds(3_600);
    scene.stored("later", scene.now.plusMillis(1_500), 0, null);
    scene.time.advance(Duration.ofSeconds(14));
    scene.claimDue();
    assertThat(scene.handOff.claimedDue(HandOffScene.ROUTE)).as("its lease lasts").isEqualTo(2);

    scene.time.advance(Duration.ofSeconds(2));

    assertThat(scene.handOff.claimedDue(HandOffScene.ROUTE)).as("later").isEqualTo(1);
    Conclusion end = scene.next(scene.concluded);
    assertThat(end.kind()).isEqualTo(Kind.GIVE_BACK);
    assertThat(end.claim().key().id()).isEqualTo("a");
    assertThat(end.outcomeUnknown()).isFalse();
  }

  private String endOf(PublishOutcome outcome, Cause cause) throws Exception {
    scene.broker = submission -> answered(submission, outcome, cause);
    scene.stored(outcome + " " + cause, NOW, 0, null);
    scene.claimDue();
    Conclusion end = scene.next(scene.concluded);
    return end.kind() + (end.outcomeUnknown() ? " unknown" : "");
  }
}
