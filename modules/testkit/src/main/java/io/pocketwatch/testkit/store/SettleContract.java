// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.route.Tracking;
import io.pocketwatch.store.Begun;
import io.pocketwatch.store.Begun.Verdict;
import io.pocketwatch.store.ChangeOutcome;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Handling;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageState;
import io.pocketwatch.store.Retention;
import io.pocketwatch.store.StoredMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A copy has arrived. */
public interface SettleContract extends StoreContract {
  private Verdict verdict(MessageKey key, int generation, String consumer) {
    return store().begin(key, generation, consumer, LONG).verdict();
  }

  @Test
  default void aMessageIsHandledOnce() {
    MessageKey key = held(newRoute(), "a");
    Handling handling = begun(key, "q");
    assertThat(store().settle(handling)).isTrue();
    assertThat(state(key)).isEqualTo(MessageState.SETTLED);
    assertThat(verdict(key, 1, "q")).isEqualTo(Verdict.SETTLED);
    assertThat(store().settle(handling)).isFalse();
    assertThat(store().fail(handling, "late")).isFalse();
    assertThat(store().abandon(handling)).isFalse();
    assertThat(store().extend(handling, LONG)).isFalse();
  }

  @Test
  default void theLastConsumerSettlesTheMessage() {
    MessageKey key =
        inserted(message(newRoute(), "a", store().now().minusSeconds(1), Tracking.FULL, 2));
    Handling first = begun(key, "billing");
    Handling second = begun(key, "audit");
    assertThat(store().settle(first)).isTrue();
    assertThat(state(key)).isEqualTo(MessageState.PENDING);
    assertThat(verdict(key, 1, "billing")).isEqualTo(Verdict.SETTLED);
    assertThat(store().settle(second)).isTrue();
    assertThat(state(key)).isEqualTo(MessageState.SETTLED);
  }

  @Test
  default void aConsumerBeyondThoseExpectedIsRefusedByItsOwnSettlementOnly() {
    MessageKey key = held(newRoute(), "a");
    Handling overlapping = begun(key, "overlapping");
    assertThat(store().settle(begun(key, "expected"))).isTrue();
    assertThat(state(key)).isEqualTo(MessageState.SETTLED);

    Begun second = store().begin(key, 1, "second", LONG);
    assertThat(second.verdict()).isEqualTo(Verdict.HANDLE);
    assertThat(second.unexpected()).isTrue();
    Handling handling = Objects.requireNonNull(second.handling());
    assertThat(verdict(key, 1, "second")).isEqualTo(Verdict.BUSY);
    assertThat(store().extend(handling, LONG)).isTrue();
    assertThat(store().settle(handling)).isTrue();
    assertThat(store().settle(overlapping)).isTrue();

    assertThat(state(key)).isEqualTo(MessageState.SETTLED);
    assertThat(verdict(key, 1, "second")).isEqualTo(Verdict.SETTLED);
    assertThat(verdict(key, 1, "overlapping")).isEqualTo(Verdict.SETTLED);
    assertThat(verdict(key, 1, "expected")).isEqualTo(Verdict.SETTLED);
  }

  @Test
  default void whatAConsumerBeyondThoseExpectedCannotDoIsTriedAgain() {
    MessageKey key = held(newRoute(), "a");
    assertThat(store().settle(begun(key, "expected"))).isTrue();

    assertThat(store().fail(begun(key, "second"), "no stock")).isTrue();
    assertThat(state(key)).as("finished").isEqualTo(MessageState.SETTLED);
    Instant next = store().now().plusSeconds(600);
    assertThat(store().postpone(begun(key, "second"), next, null, "status 503")).isTrue();
    assertThat(found(key).heldUntil()).isEqualTo(next);
    assertThat(store().abandon(begun(key, "second"))).isTrue();
    assertThat(store().park(begun(key, "second"), "gave up")).isTrue();
    assertThat(state(key)).as("for a human").isEqualTo(MessageState.PARKED);
  }

  @Test
  default void anotherHandlingOfTheSameConsumerIsBusy() {
    MessageKey key = held(newRoute(), "a");
    Instant before = store().now();
    begun(key, "q");
    Begun busy = store().begin(key, 1, "q", LONG);
    assertThat(busy.verdict()).isEqualTo(Verdict.BUSY);
    assertThat(busy.handling()).isNull();
    assertThat(busy.busyUntil()).isBetween(before.plus(LONG), store().now().plus(LONG));
  }

  @Test
  default void whoeverOverstaysTheLeaseHasLostTheRight() {
    MessageKey key = held(newRoute(), "a");
    Handling slow =
        Objects.requireNonNull(store().begin(key, 1, "q", Duration.ofMillis(50)).handling());
    Handling next =
        Objects.requireNonNull(
            Awaitility.await()
                .until(() -> store().begin(key, 1, "q", LONG), b -> b.verdict() == Verdict.HANDLE)
                .handling());
    assertThat(store().extend(slow, LONG)).isFalse();
    assertThat(store().settle(slow)).isFalse();
    assertThat(state(key)).isEqualTo(MessageState.HELD);
    assertThat(store().extend(next, LONG)).isTrue();
    assertThat(store().settle(next)).isTrue();
  }

  @Test
  default void anExtendedLeaseLasts() {
    MessageKey key = held(newRoute(), "a");
    Handling handling =
        Objects.requireNonNull(store().begin(key, 1, "q", Duration.ofMillis(1)).handling());
    assertThat(store().extend(handling, LONG)).isTrue();
    assertThat(verdict(key, 1, "q")).isEqualTo(Verdict.BUSY);
  }

  @Test
  default void afterAFailureTheConsumersRetryMayBegin() {
    MessageKey key = held(newRoute(), "a");
    Handling handling = begun(key, "q");
    assertThat(store().fail(handling, "no stock")).isTrue();
    assertThat(state(key)).isEqualTo(MessageState.FAILED);
    assertThat(found(key).reason()).isEqualTo("no stock");
    assertThat(store().settle(handling)).isFalse();
    assertThat(store().settle(begun(key, "q"))).isTrue();
    assertThat(state(key)).isEqualTo(MessageState.SETTLED);
  }

  @Test
  default void whatIsPostponedIsHeldUntilItsNextTry() {
    MessageKey key = held(newRoute(), "a");
    Handling handling = begun(key, "q");
    Instant next = store().now().plusSeconds(600);
    assertThat(store().postpone(handling, next, "another", "status 503")).isTrue();
    StoredMessage waiting = found(key);
    assertThat(waiting.state()).isEqualTo(MessageState.HELD);
    assertThat(waiting.reason()).isEqualTo("status 503");
    assertThat(waiting.heldUntil()).isEqualTo(next);
    assertThat(waiting.epoch()).isEqualTo("epoch-of-" + key.route());
    assertThat(store().postpone(handling, next, null, "late")).isFalse();

    Handling retry = begun(key, "q");
    assertThat(store().postpone(retry, store().now(), null, "status 500")).isTrue();
    assertThat(found(key).heldUntil()).isEqualTo(next);
    assertThat(store().settle(begun(key, "q"))).isTrue();
    assertThat(state(key)).isEqualTo(MessageState.SETTLED);
  }

  @Test
  default void whatArrivedBeforeItWasMarkedIsHeldWhereItsCopyIs() {
    MessageKey key = due(newRoute(), "a");
    assertThat(store().postpone(begun(key, "q"), store().now(), "e", "status 503")).isTrue();
    assertThat(state(key)).isEqualTo(MessageState.HELD);
    assertThat(found(key).epoch()).isEqualTo("e");
    assertThat(claim(key.route(), LOADER)).isEmpty();
  }

  @Test
  default void whatIsPostponedMayBeMovedAndCancelled() {
    String route = newRoute();
    MessageKey moved = held(route, "moved");
    MessageKey cancelled = held(route, "cancelled");
    Instant next = store().now().plusSeconds(600);
    store().fail(begun(cancelled, "q"), "no stock");
    for (MessageKey key : List.of(moved, cancelled)) {
      assertThat(store().postpone(begun(key, "q"), next, null, "status 503")).isTrue();
    }
    store().moveToHistory(new Retention(Duration.ZERO, Duration.ZERO), 1_000);
    assertThat(store().reschedule(moved, next)).isEqualTo(ChangeOutcome.DONE);
    assertThat(store().cancel(cancelled)).isEqualTo(ChangeOutcome.DONE);

    assertThat(found(moved).reason()).isNull();
    assertThat(verdict(moved, 1, "q")).isEqualTo(Verdict.OUTDATED);
    // The copy for its next try still has to be skipped when it comes.
    store().moveToHistory(new Retention(Duration.ZERO, Duration.ZERO), 1_000);
    assertThat(verdict(cancelled, 1, "q")).isEqualTo(Verdict.CANCELLED);
  }

  @Test
  default void anAbandonedHandlingLeavesNoTrace() {
    MessageKey key = held(newRoute(), "a");
    Handling handling = begun(key, "q");
    assertThat(store().abandon(handling)).isTrue();
    assertThat(store().abandon(handling)).isFalse();
    assertThat(state(key)).isEqualTo(MessageState.HELD);
    assertThat(store().settle(handling)).isFalse();
    assertThat(store().settle(begun(key, "q"))).isTrue();
  }

  @Test
  default void copiesThatNoLongerCountAreRefused() {
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
  default void parkedByItsConsumerUntilReleasedByHand() {
    String route = newRoute();
    MessageKey key = held(route, "a");
    assertThat(store().park(begun(key, "consumer"), "gave up")).isTrue();
    assertThat(state(key)).isEqualTo(MessageState.PARKED);
    assertThat(found(key).reason()).isEqualTo("gave up");

    assertThat(store().release(key)).isEqualTo(ChangeOutcome.DONE);
    assertThat(hold(claimOne(route, LOADER), "epoch")).isTrue();
    assertThat(store().settle(begun(key, "consumer"))).isTrue();
    assertThat(state(key)).isEqualTo(MessageState.SETTLED);
  }

  @Test
  default void whatOneConsumerHasParkedStaysParkedWhateverTheOthersDo() {
    MessageKey key = inserted(message(newRoute(), "a", store().now(), Tracking.FULL, 3));
    assertThat(hold(claimOne(key.route(), LOADER), "e")).isTrue();
    Handling failing = begun(key, "failing");
    Handling postponing = begun(key, "postponing");
    assertThat(store().park(begun(key, "parking"), "gave up")).isTrue();
    Instant next = store().now().plusSeconds(600);

    assertThat(store().fail(failing, "no stock")).isTrue();
    assertThat(store().postpone(postponing, next, null, "status 503")).isTrue();

    StoredMessage parked = found(key);
    assertThat(parked.state()).isEqualTo(MessageState.PARKED);
    assertThat(parked.reason()).isEqualTo("gave up");
    assertThat(parked.heldUntil()).as("for the copy that is on hold").isEqualTo(next);
    store().moveToHistory(new Retention(Duration.ZERO, Duration.ZERO), 1_000);
    assertThat(state(key)).as("for a human").isEqualTo(MessageState.PARKED);
    assertThat(store().settle(begun(key, "postponing"))).isTrue();
    assertThat(state(key)).isEqualTo(MessageState.PARKED);
  }

  /** As when one queue of its target is full, and the other's consumer fails at once. */
  @Test
  default void whatOneConsumerFailsIsSentAgainToTheOthersThatHaveNoCopy() {
    String route = newRoute();
    Duration soon = Duration.ZERO;
    MessageKey postponed = inserted(message(route, "a", store().now(), Tracking.FULL, 2));
    Claim first = claimOne(route, LOADER);
    store().fail(begun(postponed, "fails"), "no stock");
    assertThat(store().postpone(first, soon, "the other queue is full")).isTrue();
    assertThat(state(postponed)).isEqualTo(MessageState.PENDING);

    Claim second = claimOne(route, OTHER);
    assertThat(store().postpone(begun(postponed, "fails"), store().now(), null, "503")).isTrue();
    assertThat(store().giveBack(List.of(second))).isEqualTo(1);

    Claim third = claimOne(route, LOADER);
    store().giveBack(List.of(third));
    store().fail(begun(postponed, "fails"), "no stock");
    assertThat(state(postponed)).as("given back before").isEqualTo(MessageState.PENDING);
    assertThat(claim(route, LOADER)).hasSize(1);
    assertThat(store().giveBack(List.of(third))).as("claimed since").isZero();
  }

  @Test
  default void whatItsOnlyConsumerFailsIsNotSentAgain() {
    String route = newRoute();
    MessageKey key = due(route, "a");
    Claim claim = claimOne(route, LOADER);
    store().fail(begun(key, "q"), "no stock");

    assertThat(store().giveBack(List.of(claim))).isZero();
    assertThat(store().postpone(claim, Duration.ZERO, "no answer")).isFalse();
    assertThat(state(key)).isEqualTo(MessageState.FAILED);
  }

  /** What was lost are the other consumers' copies, too; this one's has arrived before. */
  @Test
  default void whatGoesBackBecauseItsDiskIsLostIsLoadedWhateverBecomesOfAHandling() {
    String route = newRoute();
    MessageKey failed = held(route, "failed");
    MessageKey postponed = held(route, "postponed");
    Handling failing = begun(failed, "q");
    Handling postponing = begun(postponed, "q");
    Instant next = store().now().plusSeconds(600);
    assertThat(store().returnHeldOf("epoch-of-" + route, 10)).isEqualTo(2);

    assertThat(store().fail(failing, "no stock")).isTrue();
    assertThat(store().postpone(postponing, next, "new", "status 503")).isTrue();

    assertThat(claim(route, OTHER)).hasSize(2);
    assertThat(found(postponed).heldUntil()).isEqualTo(next);
    assertThat(store().settle(begun(failed, "q"))).isTrue();
  }
}
