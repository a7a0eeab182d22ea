// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.config.DelayLimits;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.OverviewStore.Changed;
import io.pocketwatch.store.SettlingStore.Begun;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.Change;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Cancel, reschedule, release by hand. */
public interface ChangeContract extends StoreContract {
  @Test
  default void cancels_until_it_is_settled() {
    String route = newRoute();
    MessageKey pending = due(route, "pending");
    assertThat(store().cancel(pending)).isEqualTo(ChangeOutcome.DONE);
    assertThat(state(pending)).isEqualTo(MessageState.CANCELLED);

    MessageKey held = held(route, "held");
    assertThat(store().cancel(held)).isEqualTo(ChangeOutcome.DONE);

    MessageKey settled = held(route, "settled");
    handlings().settle(begun(settled, "q"));
    assertThat(store().cancel(settled)).isEqualTo(ChangeOutcome.TOO_LATE);
    assertThat(store().cancel(new MessageKey(route, "none"))).isEqualTo(ChangeOutcome.UNKNOWN);
  }

  /** Its answer may be lost, and whoever asks again must not hear that the message went out. */
  @ParameterizedTest
  @EnumSource(names = {"FULL", "HANDOFF"})
  default void aCancelMayBeRepeated(Tracking tracking) {
    MessageKey key = inserted(message(newRoute(), "a", store().now(), tracking));
    assertThat(store().cancel(key, "desk")).isEqualTo(ChangeOutcome.DONE);
    StoredMessage cancelled = found(key);

    assertThat(store().cancel(key, "desk again")).isEqualTo(ChangeOutcome.DONE);
    assertThat(found(key).updatedAt()).as("changed once").isEqualTo(cancelled.updatedAt());
    assertThat(changed(key)).isEqualTo(cancelled.lastChange());
    assertThat(store().life(key).orElseThrow().changes()).hasSize(1);
  }

  @Test
  default void a_move_to_the_same_instant_may_be_repeated() {
    String route = newRoute();
    Instant to = store().now().minusSeconds(1).truncatedTo(ChronoUnit.MILLIS);
    MessageKey waits = due(route, "waits");
    for (int i = 0; i < 2; i++) {
      assertThat(store().reschedule(waits, to)).isEqualTo(ChangeOutcome.DONE);
      assertThat(found(waits).deliverAt()).isEqualTo(to);
    }

    MessageKey sent = inserted(message(newRoute(), "sent", store().now(), Tracking.HANDOFF));
    assertThat(store().reschedule(sent, to)).isEqualTo(ChangeOutcome.DONE);
    Claim claim = claimOne(sent.route(), LOADER);
    assertThat(store().reschedule(sent, to)).as("on its way").isEqualTo(ChangeOutcome.DONE);
    assertThat(hold(claim)).as("the same copy").isTrue();
    assertThat(store().reschedule(sent, to)).as("handed off").isEqualTo(ChangeOutcome.DONE);
    assertThat(store().reschedule(sent, to.plusMillis(1))).isEqualTo(ChangeOutcome.TOO_LATE);
    assertThat(found(sent).generation()).isEqualTo(2);
  }

  @Test
  default void a_release_may_be_repeated() {
    String route = newRoute();
    MessageKey key = due(route, "a");
    park(claimOne(route, LOADER), "unroutable");
    assertThat(store().retry(key)).isEqualTo(ChangeOutcome.DONE);
    assertThat(store().retry(key)).isEqualTo(ChangeOutcome.DONE);
    assertThat(found(key).generation()).as("not sent twice").isEqualTo(2);
    assertThat(claim(route, OTHER)).hasSize(1);
  }

  @Test
  default void who_changed_it_is_kept() {
    String route = newRoute();
    MessageKey key = due(route, "a");
    assertThat(store().find(key).orElseThrow().lastChange()).isNull();

    store().reschedule(key, store().now().plusSeconds(60), "desk");
    Change moved = changed(key);
    assertThat(moved.by()).isEqualTo("desk");
    assertThat(moved.at()).isEqualTo(store().find(key).orElseThrow().updatedAt());
    store().retry(key, "night shift");
    assertThat(changed(key).by()).isEqualTo("night shift");
    store().cancel(key);
    assertThat(changed(key).by()).isNull();
    store().cancel(key, "once more");
    assertThat(changed(key).by()).isNull();
    assertThatThrownBy(() -> store().cancel(key, "x".repeat(201)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("actor");
  }

  @Test
  default void a_life_tells_every_change_and_the_last_handling() {
    String route = newRoute();
    Instant first = store().now().plusSeconds(3_600).truncatedTo(ChronoUnit.MILLIS);
    MessageKey key = inserted(message(route, "a", first));
    assertThat(store().life(key))
        .hasValueSatisfying(
            life -> {
              assertThat(life.firstDeliverAt()).isEqualTo(first);
              assertThat(life.handling()).isNull();
              assertThat(life.changes()).isEmpty();
            });

    store().reschedule(key, first.plusSeconds(60), "desk\nof the night");
    store().retry(key);
    store().cancel(key, "http:ops");
    assertThat(store().life(key).orElseThrow().changes())
        .extracting(Changed::kind, Changed::deliverAt, Changed::by)
        .containsExactly(
            tuple(Changed.Kind.RESCHEDULED, first.plusSeconds(60), "desk of the night"),
            tuple(Changed.Kind.RETRIED, null, null),
            tuple(Changed.Kind.CANCELLED, null, "http:ops"));
    assertThat(store().life(new MessageKey(route, "none"))).isEmpty();

    MessageKey handled = held(route, "handled");
    handlings().settle(begun(handled, "q"));
    assertThat(store().life(handled).orElseThrow().handling())
        .satisfies(
            one -> {
              assertThat(one.consumer()).isEqualTo("q");
              assertThat(one.settledAt()).isNotNull().isAfterOrEqualTo(one.begunAt());
            });
  }

  @Test
  default void of_many_changes_the_latest_twenty_are_kept() {
    MessageKey key = due(newRoute(), "a");
    String actor = "x".repeat(198);
    for (int i = 10; i < 40; i++) {
      store().reschedule(key, store().now().plusSeconds(3_600), actor + i);
    }
    assertThat(store().life(key).orElseThrow().changes())
        .hasSize(20)
        .first()
        .extracting(Changed::by)
        .isEqualTo(actor + 20);
  }

  private Change changed(MessageKey key) {
    return Objects.requireNonNull(store().find(key).orElseThrow().lastChange());
  }

  @Test
  default void nothing_changes_while_a_consumer_handles_it() {
    MessageKey key = held(newRoute(), "a");
    Handling handling = begun(key, "q");
    assertThat(store().cancel(key)).isEqualTo(ChangeOutcome.BEING_HANDLED);
    assertThat(store().reschedule(key, store().now())).isEqualTo(ChangeOutcome.BEING_HANDLED);
    assertThat(store().retry(key)).isEqualTo(ChangeOutcome.BEING_HANDLED);
    assertThat(found(key).generation()).isEqualTo(1);
    handlings().abandon(handling);
    assertThat(store().cancel(key)).isEqualTo(ChangeOutcome.DONE);
  }

  @Test
  default void whoever_overstays_the_lease_cannot_settle_what_was_cancelled_since() {
    MessageKey key = held(newRoute(), "a");
    Handling slow = handlings().begin(key, 1, "q", Duration.ofMillis(50)).handling();
    Awaitility.await().until(() -> store().cancel(key) == ChangeOutcome.DONE);
    assertThat(handlings().settle(slow)).isFalse();
    assertThat(handlings().fail(slow, "late")).isFalse();
    assertThat(state(key)).isEqualTo(MessageState.CANCELLED);
  }

  @Test
  default void nothing_is_moved_beyond_the_last_instant() {
    MessageKey key = due(newRoute(), "a");
    assertThatThrownBy(() -> store().reschedule(key, DelayLimits.LATEST.plusNanos(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(DelayLimits.LATEST.toString());
    assertThat(found(key).generation()).isEqualTo(1);
    assertThat(store().reschedule(key, DelayLimits.LATEST)).isEqualTo(ChangeOutcome.DONE);
    assertThat(found(key).deliverAt()).isEqualTo(DelayLimits.LATEST);
  }

  @Test
  default void a_rescheduled_message_starts_again() {
    String route = newRoute();
    MessageKey key = held(route, "a");
    Instant heldUntil = found(key).heldUntil();
    Instant next = store().now().plusSeconds(3600);
    assertThat(store().reschedule(key, next)).isEqualTo(ChangeOutcome.DONE);
    StoredMessage message = found(key);
    assertThat(message.state()).isEqualTo(MessageState.PENDING);
    assertThat(message.deliverAt()).isEqualTo(next);
    assertThat(message.generation()).isEqualTo(2);
    assertThat(message.nextAt()).isEqualTo(next);
    assertThat(message.heldUntil()).as("the old copy's").isEqualTo(heldUntil);
    assertThat(claim(route, LOADER)).isEmpty();
  }

  @Test
  default void a_claim_of_an_earlier_generation_no_longer_applies() {
    String route = newRoute();
    MessageKey key = due(route, "a");
    Claim claim = claimOne(route, LOADER);
    assertThat(store().reschedule(key, store().now())).isEqualTo(ChangeOutcome.DONE);
    assertThat(hold(claim)).isFalse();
    assertThat(found(key).heldUntil()).as("may be out there").isNotNull();
    assertThat(claimOne(route, OTHER).message().generation()).isEqualTo(2);
  }

  @Test
  default void settled_and_cancelled_messages_are_not_rescheduled() {
    String route = newRoute();
    MessageKey settled = held(route, "settled");
    handlings().settle(begun(settled, "q"));
    MessageKey cancelled = due(route, "cancelled");
    store().cancel(cancelled);
    for (MessageKey key : new MessageKey[] {settled, cancelled}) {
      assertThat(store().reschedule(key, store().now())).isEqualTo(ChangeOutcome.TOO_LATE);
      assertThat(store().retry(key)).isEqualTo(ChangeOutcome.TOO_LATE);
    }
    assertThat(state(cancelled)).isEqualTo(MessageState.CANCELLED);
    MessageKey none = new MessageKey(route, "none");
    assertThat(store().reschedule(none, store().now())).isEqualTo(ChangeOutcome.UNKNOWN);
    assertThat(store().retry(none)).isEqualTo(ChangeOutcome.UNKNOWN);
  }

  @Test
  default void handed_off_messages_cannot_be_recalled() {
    String route = newRoute();
    MessageKey key = inserted(message(route, "a", store().now(), Tracking.HANDOFF));
    assertThat(store().reschedule(key, store().now())).isEqualTo(ChangeOutcome.DONE);
    Claim claim = claimOne(route, LOADER);
    assertThat(store().cancel(key)).as("on its way").isEqualTo(ChangeOutcome.TOO_LATE);
    assertThat(hold(claim)).isTrue();
    assertThat(store().cancel(key)).isEqualTo(ChangeOutcome.TOO_LATE);
    assertThat(store().reschedule(key, store().now().plusSeconds(60)))
        .isEqualTo(ChangeOutcome.TOO_LATE);

    MessageKey waiting = inserted(message(route, "b", store().now(), Tracking.HANDOFF));
    assertThat(store().cancel(waiting)).isEqualTo(ChangeOutcome.DONE);
  }

  /** Some databases compare without trailing blanks, or have no text with a NUL. */
  @ParameterizedTest
  @ValueSource(strings = {" ", "\0"})
  default void aKeyThatNoRowCanHaveIsNobodys(String end) {
    String route = newRoute();
    MessageKey key = due(route, "a");
    for (MessageKey other :
        List.of(new MessageKey(route, "a" + end), new MessageKey(route + end, "a"))) {
      assertThat(store().find(other)).isEmpty();
      assertThat(store().cancel(other)).isEqualTo(ChangeOutcome.UNKNOWN);
      assertThat(store().retry(other)).isEqualTo(ChangeOutcome.UNKNOWN);
      assertThat(handlings().begin(other, 1, "q", LONG).verdict()).isEqualTo(Begun.Verdict.UNKNOWN);
      assertThat(store().count(MessageQuery.all().route(other.route()).businessKey(end))).isZero();
    }
    assertThat(found(key).state()).isEqualTo(MessageState.PENDING);
  }

  @Test
  default void what_may_have_been_handed_off_cannot_be_recalled() {
    String route = newRoute();
    MessageKey unsent = inserted(message(route, "unsent", store().now(), Tracking.HANDOFF));
    giveBack(claim(route, LOADER));
    assertThat(store().reschedule(unsent, store().now())).isEqualTo(ChangeOutcome.DONE);
    giveBack(claim(route, LOADER));
    assertThat(store().cancel(unsent)).as("twice given back").isEqualTo(ChangeOutcome.DONE);

    MessageKey sent = inserted(message(route, "sent", store().now(), Tracking.HANDOFF));
    Claim claim = claimOne(route, LOADER);
    assertThat(store().conclude(List.of(Conclusion.giveBack(claim).unknown())))
        .containsExactly(Ended.APPLIED);
    assertThat(store().cancel(sent)).isEqualTo(ChangeOutcome.TOO_LATE);
    assertThat(store().reschedule(sent, store().now())).isEqualTo(ChangeOutcome.TOO_LATE);
    park(claimOne(route, OTHER), "unroutable");
    assertThat(store().cancel(sent)).as("the copy has gone").isEqualTo(ChangeOutcome.DONE);
  }

  @Test
  default void what_somebody_claimed_and_left_cannot_be_recalled() {
    String route = newRoute();
    MessageKey key = inserted(message(route, "a", store().now(), Tracking.HANDOFF));
    claimOne(route, new Lease("loader-1", Duration.ofMillis(50)));
    List<Claim> again =
        Awaitility.await().until(() -> claim(route, OTHER), claims -> !claims.isEmpty());
    giveBack(again);
    assertThat(store().cancel(key)).isEqualTo(ChangeOutcome.TOO_LATE);
  }

  @Test
  default void releases_by_hand() {
    String route = newRoute();
    MessageKey parked = due(route, "parked");
    park(claimOne(route, LOADER), "unroutable");
    MessageKey failed = held(route, "failed");
    handlings().fail(begun(failed, "q"), "no stock");
    MessageKey held = held(route, "held");
    for (MessageKey key : new MessageKey[] {parked, failed, held}) {
      Instant deliverAt = found(key).deliverAt();
      assertThat(store().retry(key)).isEqualTo(ChangeOutcome.DONE);
      StoredMessage message = found(key);
      assertThat(message.state()).isEqualTo(MessageState.PENDING);
      assertThat(message.generation()).isEqualTo(2);
      assertThat(message.reason()).isNull();
      assertThat(message.deliverAt()).isEqualTo(deliverAt);
    }
    assertThat(claim(route, OTHER)).hasSize(3);
  }

  /** A look for what is due begins some seconds ago, and their instant may be long past. */
  @Test
  default void what_is_released_or_moved_into_the_past_is_found_by_the_next_look() {
    String route = newRoute();
    Instant past = store().now().minus(Duration.ofHours(1));
    MessageKey parked = inserted(message(route, "parked", past));
    park(claimOne(route, LOADER), "unroutable");
    MessageKey later = inserted(message(route, "later", store().now().plus(Duration.ofHours(1))));
    assertThat(store().routesDue(store().now(), Set.of(route))).isEmpty();

    assertThat(store().retry(parked)).isEqualTo(ChangeOutcome.DONE);
    assertThat(store().reschedule(later, past)).isEqualTo(ChangeOutcome.DONE);

    assertThat(store().routesDue(store().now(), Set.of(route))).containsExactly(route);
    assertThat(store().claim(new ClaimRequest(route, store().now(), 10, Long.MAX_VALUE, OTHER)))
        .extracting(Claim::key)
        .containsExactlyInAnyOrder(parked, later);
  }
}
