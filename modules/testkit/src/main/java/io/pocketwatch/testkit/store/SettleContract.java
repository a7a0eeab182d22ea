// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.LoadingStore.Retention;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore.Attempts;
import io.pocketwatch.store.SettlingStore.Beginning;
import io.pocketwatch.store.SettlingStore.Begun;
import io.pocketwatch.store.SettlingStore.Begun.Verdict;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.SettlingStore.Ending;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.SettlingStore.Postponement;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A copy has arrived. */
public interface SettleContract extends StoreContract {
  private Verdict verdict(MessageKey key, int generation, String consumer) {
    return handlings().begin(key, generation, consumer, LONG).verdict();
  }

  @Test
  default void a_message_is_handled_once() {
    MessageKey key = held(newRoute(), "a");
    Handling handling = begun(key, "q");
    assertThat(handlings().settle(handling)).isTrue();
    assertThat(state(key)).isEqualTo(MessageState.SETTLED);
    assertThat(verdict(key, 1, "q")).isEqualTo(Verdict.SETTLED);
    assertThat(handlings().fail(handling, "late")).isFalse();
    assertThat(handlings().abandon(handling)).isFalse();
    assertThat(handlings().extend(handling, LONG)).isFalse();
  }

  /** The answer to the first may have been lost. */
  @Test
  default void what_is_asked_twice_is_done_once() {
    MessageKey key = due(newRoute(), "a");
    Beginning asked = new Beginning(new Handling(key, "q", "mine"), 1);
    for (int i = 0; i < 2; i++) {
      assertThat(store().begin(List.of(asked), LONG)).containsExactly(Begun.handle(Attempts.NONE));
    }
    assertThat(verdict(key, 1, "q")).isEqualTo(Verdict.BUSY);
    List<Ending> settle = List.of(Ending.settle(asked.handling()));
    for (int i = 0; i < 2; i++) {
      assertThat(store().end(settle)).containsExactly(Ended.APPLIED);
      assertThat(state(key)).isEqualTo(MessageState.SETTLED);
    }
    assertThat(store().begin(List.of(asked), LONG)).containsExactly(Begun.of(Verdict.SETTLED));
  }

  @Test
  default void many_are_begun_renewed_and_ended_at_once_each_in_its_own_way() {
    String route = newRoute();
    List<Beginning> copies = new ArrayList<>();
    for (String id : List.of("settled", "failed", "parked", "released", "left", "old", "gone")) {
      MessageKey key = id.equals("gone") ? new MessageKey(route, id) : held(route, id);
      copies.add(new Beginning(new Handling(key, "q", id), id.equals("old") ? 2 : 1));
    }
    MessageKey cancelled = held(route, "cancelled");
    store().cancel(cancelled);
    copies.add(new Beginning(new Handling(cancelled, "q", "cancelled"), 1));

    assertThat(store().begin(copies, LONG))
        .extracting(Begun::verdict)
        .containsExactly(
            Verdict.HANDLE,
            Verdict.HANDLE,
            Verdict.HANDLE,
            Verdict.HANDLE,
            Verdict.HANDLE,
            Verdict.OUTDATED,
            Verdict.UNKNOWN,
            Verdict.CANCELLED);
    List<Handling> all = copies.stream().map(Beginning::handling).toList();
    assertThat(store().extend(all.subList(0, 6), LONG))
        .containsExactly(true, true, true, true, true, false);
    assertThat(
            store()
                .end(
                    List.of(
                        Ending.settle(all.get(0)),
                        Ending.fail(all.get(1), "no stock"),
                        Ending.park(all.get(2), "gave up"),
                        Ending.requeue(all.get(3), "asked to"),
                        Ending.settle(all.get(5)),
                        Ending.settle(all.get(6)),
                        Ending.settle(all.get(7)))))
        .containsExactly(
            Ended.APPLIED,
            Ended.APPLIED,
            Ended.APPLIED,
            Ended.APPLIED,
            Ended.OVERTAKEN,
            Ended.OVERTAKEN,
            Ended.OVERTAKEN);
    assertThat(all.subList(0, 4))
        .extracting(one -> state(one.key()))
        .containsExactly(
            MessageState.SETTLED, MessageState.FAILED, MessageState.PARKED, MessageState.HELD);
    assertThat(found(all.get(3).key()).reason()).isEqualTo("asked to");
    assertThat(verdict(all.get(3).key(), 1, "q")).isEqualTo(Verdict.HANDLE);
    assertThat(verdict(all.get(4).key(), 1, "q")).isEqualTo(Verdict.BUSY);
  }

  @Test
  default void another_handling_of_the_same_consumer_is_busy() {
    MessageKey key = held(newRoute(), "a");
    begun(key, "q");
    Handlings.Answer busy = handlings().begin(key, 1, "q", LONG);
    assertThat(busy.verdict()).isEqualTo(Verdict.BUSY);
    assertThat(busy.begun()).isNull();
  }

  @Test
  default void whoever_overstays_the_lease_has_lost_the_right() {
    MessageKey key = held(newRoute(), "a");
    Handling slow = handlings().begin(key, 1, "q", Duration.ofMillis(50)).handling();
    Handling next =
        Objects.requireNonNull(
            Awaitility.await()
                .until(
                    () -> handlings().begin(key, 1, "q", LONG), b -> b.verdict() == Verdict.HANDLE)
                .handling());
    assertThat(handlings().extend(slow, LONG)).isFalse();
    assertThat(handlings().settle(slow)).isFalse();
    assertThat(state(key)).isEqualTo(MessageState.PENDING);
    assertThat(handlings().extend(next, LONG)).isTrue();
    assertThat(handlings().settle(next)).isTrue();
  }

  @Test
  default void an_extended_lease_lasts() {
    MessageKey key = held(newRoute(), "a");
    Handling handling = handlings().begin(key, 1, "q", Duration.ofMillis(1)).handling();
    assertThat(handlings().extend(handling, LONG)).isTrue();
    assertThat(verdict(key, 1, "q")).isEqualTo(Verdict.BUSY);
  }

  @Test
  default void after_a_failure_the_consumers_retry_may_begin() {
    MessageKey key = held(newRoute(), "a");
    Handling handling = begun(key, "q");
    assertThat(handlings().fail(handling, "no stock")).isTrue();
    assertThat(state(key)).isEqualTo(MessageState.FAILED);
    assertThat(found(key).reason()).isEqualTo("no stock");
    assertThat(handlings().settle(handling)).isFalse();
    assertThat(handlings().settle(begun(key, "q"))).isTrue();
    assertThat(state(key)).isEqualTo(MessageState.SETTLED);
  }

  @Test
  default void what_is_postponed_comes_again_by_its_row() {
    MessageKey key = held(newRoute(), "a");
    Instant due = found(key).deliverAt();
    Handling handling = begun(key, "q");
    Instant next = store().now().plusSeconds(600);
    assertThat(handlings().postpone(handling, next, "status 503")).isTrue();
    StoredMessage waiting = found(key);
    assertThat(waiting.state()).isEqualTo(MessageState.PENDING);
    assertThat(waiting.reason()).isEqualTo("status 503");
    assertThat(waiting.nextAt()).isEqualTo(next);
    assertThat(waiting.nextQueue()).isEqualTo("q");
    assertThat(waiting.deliverAt()).isEqualTo(due);
    assertThat(handlings().postpone(handling, next, "late")).isFalse();
    assertThat(claim(key.route(), LOADER)).isEmpty();
    ClaimRequest early = new ClaimRequest(key.route(), next, 10, 1 << 20, LOADER);
    assertThat(store().claim(early)).as("no broker holds it").isEmpty();
  }

  @Test
  default void attempts_are_the_consumers_and_of_one_generation() {
    String route = newRoute();
    MessageKey key = held(route, "a");
    for (int i = 0; i < 3; i++) {
      Handling handling = new Handling(key, "q", "token-" + i);
      Begun begun = store().begin(List.of(new Beginning(handling, 1)), LONG).get(0);
      assertThat(begun).isEqualTo(Begun.handle(new Attempts(i, i / 2)));
      Postponement next = new Postponement(store().now(), "queue", i > 0);
      assertThat(store().end(List.of(Ending.postpone(handling, next, "status 503"))))
          .containsExactly(Ended.APPLIED);
      Claim again = claimOne(route, LOADER);
      assertThat(again.message().nextQueue()).isEqualTo("queue");
      assertThat(sent(again, store().now())).isTrue();
      assertThat(handlings().abandon(begun(key, "q"))).as("an attempt that did not count").isTrue();
    }
    Handlings.Answer third = handlings().begin(key, 1, "q", LONG);
    assertThat(third.answer().attempts()).isEqualTo(new Attempts(3, 2));
    handlings().abandon(third.handling());
    Handlings.Answer other = handlings().begin(key, 1, "other", LONG);
    assertThat(other.answer().attempts()).isEqualTo(Attempts.NONE);
    handlings().abandon(other.handling());
    assertThat(store().retry(key)).isEqualTo(ChangeOutcome.DONE);
    assertThat(handlings().begin(key, 2, "q", LONG).answer().attempts()).isEqualTo(Attempts.NONE);
  }

  /** Its channel may be gone, and the copy that was skipped with it the last one. */
  @Test
  default void what_is_released_after_another_copy_was_skipped_is_sent_again() {
    for (boolean fails : new boolean[] {false, true}) {
      String route = newRoute();
      MessageKey key = held(route, "a");
      Handling handling = begun(key, "q");
      assertThat(verdict(key, 1, "q")).isEqualTo(Verdict.BUSY);
      assertThat(fails ? handlings().fail(handling, "no stock") : handlings().abandon(handling))
          .isTrue();
      Claim again = claimOne(route, LOADER);
      assertThat(again.message().nextQueue()).isNull();
      assertThat(sent(again, store().now())).isTrue();
      assertThat(handlings().settle(begun(key, "q"))).isTrue();
      assertThat(state(key)).isEqualTo(MessageState.SETTLED);
    }
  }

  @Test
  default void an_early_copy_is_sent_again_in_time_by_whoever_holds_the_message() {
    String route = newRoute();
    Instant due = store().now().plusSeconds(60);
    MessageKey full = inserted(message(route, "full", due));
    MessageKey handoff = inserted(message(route, "handoff", due, Tracking.HANDOFF));
    ClaimRequest all = new ClaimRequest(route, due, 10, 1 << 20, LOADER);
    List<Claim> claims = store().claim(all);
    List<Beginning> early =
        List.of(
            new Beginning(new Handling(full, "q", "one"), 1, true),
            new Beginning(new Handling(handoff, "q", "two"), 1, true));
    assertThat(store().begin(early, LONG))
        .extracting(Begun::verdict)
        .containsExactly(Verdict.OUTDATED, Verdict.EARLY);
    claims.forEach(claim -> assertThat(hold(claim)).isEqualTo(claim.key().equals(handoff)));
    assertThat(store().claim(all)).extracting(Claim::key).containsExactly(full);
  }

  /** Whoever asks goes by a clock of his own, and its row sends no other copy. */
  @Test
  default void a_copy_that_is_due_by_the_stores_clock_is_not_early() {
    MessageKey key = held(newRoute(), "a");
    Handling handling = new Handling(key, "q", "one");
    Begun begun = store().begin(List.of(new Beginning(handling, 1, true)), LONG).get(0);
    assertThat(begun.verdict()).isEqualTo(Verdict.HANDLE);
    assertThat(handlings().settle(handling)).isTrue();
    assertThat(state(key)).isEqualTo(MessageState.SETTLED);
  }

  /** As when its copy was not acknowledged any more, or the broker has lost it. */
  @Test
  default void what_is_postponed_is_not_begun_before_by_that_consumer() {
    MessageKey key = held(newRoute(), "a");
    Instant next = store().now().plusSeconds(600);
    assertThat(handlings().postpone(begun(key, "q"), next, "status 503")).isTrue();

    Handlings.Answer early = handlings().begin(key, 1, "q", LONG);
    assertThat(early.verdict()).isEqualTo(Verdict.BUSY);
    assertThat(store().retry(key)).isEqualTo(ChangeOutcome.DONE);
    assertThat(verdict(key, 2, "q")).as("of another generation").isEqualTo(Verdict.HANDLE);
  }

  @Test
  default void what_arrived_before_it_was_marked_comes_again_by_its_row() {
    MessageKey key = due(newRoute(), "a");
    Claim first = claimOne(key.route(), LOADER);
    Instant next = store().now().plusSeconds(600);
    assertThat(handlings().postpone(begun(key, "q"), next, "status 503")).isTrue();
    assertThat(sent(first, store().now())).as("that claim is over").isFalse();
    assertThat(state(key)).isEqualTo(MessageState.PENDING);
    assertThat(found(key).nextAt()).isEqualTo(next);
  }

  @Test
  default void what_is_postponed_may_be_moved_and_cancelled() {
    String route = newRoute();
    MessageKey moved = held(route, "moved");
    MessageKey cancelled = held(route, "cancelled");
    Instant next = store().now().plusSeconds(600);
    handlings().fail(begun(cancelled, "q"), "no stock");
    for (MessageKey key : List.of(moved, cancelled)) {
      assertThat(handlings().postpone(begun(key, "q"), next, "status 503")).isTrue();
    }
    store().deleteFinished(new Retention(Duration.ZERO, Duration.ZERO), 1_000);
    assertThat(store().reschedule(moved, next)).isEqualTo(ChangeOutcome.DONE);
    assertThat(store().cancel(cancelled)).isEqualTo(ChangeOutcome.DONE);

    assertThat(found(moved).reason()).isNull();
    assertThat(verdict(moved, 1, "q")).isEqualTo(Verdict.OUTDATED);
    assertThat(verdict(cancelled, 1, "q")).isEqualTo(Verdict.CANCELLED);
  }

  @Test
  default void an_abandoned_handling_leaves_no_trace() {
    MessageKey key = held(newRoute(), "a");
    Handling handling = begun(key, "q");
    assertThat(handlings().abandon(handling)).isTrue();
    assertThat(handlings().abandon(handling)).isFalse();
    assertThat(state(key)).isEqualTo(MessageState.HELD);
    assertThat(handlings().settle(handling)).isFalse();
    assertThat(handlings().settle(begun(key, "q"))).isTrue();
  }

  @Test
  default void copies_that_no_longer_count_are_refused() {
    String route = newRoute();
    MessageKey cancelled = held(route, "cancelled");
    store().cancel(cancelled);
    assertThat(verdict(cancelled, 1, "q")).isEqualTo(Verdict.CANCELLED);

    MessageKey moved = held(route, "moved");
    store().reschedule(moved, store().now().plusSeconds(60));
    assertThat(verdict(moved, 1, "q")).isEqualTo(Verdict.OUTDATED);
    assertThat(verdict(moved, 2, "q")).isEqualTo(Verdict.HANDLE);

    assertThat(verdict(new MessageKey(route, "never seen"), 1, "q")).isEqualTo(Verdict.UNKNOWN);
  }

  @Test
  default void parked_by_its_consumer_until_released_by_hand() {
    String route = newRoute();
    MessageKey key = held(route, "a");
    assertThat(handlings().park(begun(key, "consumer"), "gave up")).isTrue();
    assertThat(state(key)).isEqualTo(MessageState.PARKED);
    assertThat(found(key).reason()).isEqualTo("gave up");

    assertThat(store().retry(key)).isEqualTo(ChangeOutcome.DONE);
    assertThat(hold(claimOne(route, LOADER))).isTrue();
    assertThat(handlings().settle(begun(key, "consumer"))).isTrue();
    assertThat(state(key)).isEqualTo(MessageState.SETTLED);
  }

  /** Nothing is claimed of it any more: what a consumer has begun is its consumer's. */
  @Test
  default void what_is_begun_is_no_longer_its_loaders() {
    String route = newRoute();
    MessageKey key = due(route, "a");
    Claim claim = claimOne(route, LOADER);
    Handling handling = begun(key, "q");
    assertThat(sent(claim, store().now())).isFalse();
    assertThat(giveBack(List.of(claim))).isZero();
    assertThat(postpone(claim, Duration.ZERO, "no answer")).isFalse();
    assertThat(state(key)).isEqualTo(MessageState.PENDING);
    assertThat(claim(route, OTHER)).isEmpty();

    assertThat(handlings().fail(handling, "no stock")).isTrue();
    assertThat(giveBack(List.of(claim))).isZero();
    assertThat(state(key)).isEqualTo(MessageState.FAILED);
  }

  @Test
  default void a_second_consumer_is_told_and_never_robbed() {
    MessageKey key = held(newRoute(), "a");
    Handling handling = begun(key, "billing");
    Beginning second = new Beginning(new Handling(key, "shipping", "one"), 1);
    assertThat(store().begin(List.of(second), LONG))
        .as("billing may fail")
        .containsExactly(Begun.of(Verdict.LOCKED));
    Instant next = store().now().plusSeconds(600);
    assertThat(handlings().postpone(handling, next, "status 503")).isTrue();
    Begun told = handlings().begin(key, 1, "shipping", LONG).answer();
    assertThat(told).isEqualTo(Begun.otherConsumer("billing"));

    MessageKey settled = held(newRoute(), "a");
    assertThat(handlings().settle(begun(settled, "billing"))).isTrue();
    assertThat(handlings().begin(settled, 1, "shipping", LONG).answer())
        .isEqualTo(Begun.otherConsumer("billing"));
    assertThat(verdict(settled, 1, "billing")).isEqualTo(Verdict.SETTLED);
  }

  /** A retry queue's consumer, or a dead-letter queue's. */
  @Test
  default void what_one_consumer_has_failed_another_may_take_up() {
    MessageKey key = held(newRoute(), "a");
    assertThat(handlings().fail(begun(key, "work"), "no stock")).isTrue();
    Handling retried = begun(key, "retry");
    assertThat(verdict(key, 1, "work")).as("a copy that came twice").isEqualTo(Verdict.BUSY);
    assertThat(handlings().fail(retried, "no stock")).isTrue();
    assertThat(state(key)).as("by the copy that was dropped").isEqualTo(MessageState.PENDING);
    assertThat(handlings().settle(begun(key, "retry"))).isTrue();
    assertThat(verdict(key, 1, "work")).isEqualTo(Verdict.SETTLED);
  }

  /** A queue was renamed, or the route's keys lead to different queues. */
  @Test
  default void what_nobody_has_begun_or_settled_is_whosever_gets_it() {
    String route = newRoute();
    MessageKey released = held(route, "released");
    assertThat(handlings().abandon(begun(released, "old"))).isTrue();
    assertThat(handlings().settle(begun(released, "new"))).isTrue();
    MessageKey retried = held(route, "retried");
    assertThat(handlings().postpone(begun(retried, "old"), store().now(), "503")).isTrue();
    assertThat(sent(claimOne(route, LOADER), store().now())).isTrue();
    assertThat(handlings().settle(begun(retried, "new"))).isTrue();
  }
}
