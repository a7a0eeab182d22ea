// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.LoadingStore.ConsumerProgress;
import io.pocketwatch.store.LoadingStore.LoaderHeartbeat;
import io.pocketwatch.store.LoadingStore.Overdue;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The broker lost its disk, or a message did not arrive. */
public interface RecoveryContract extends StoreContract {
  private Optional<Overdue> overdue(String route) {
    return store().overdue(store().now()).stream()
        .filter(each -> each.route().equals(route))
        .findFirst();
  }

  @Test
  default void says_what_is_overdue_and_what_was_settled_meanwhile() {
    String route = newRoute();
    MessageKey lost = held(route, "lost");
    Overdue silent = overdue(route).orElseThrow();
    assertThat(silent.count()).isEqualTo(1);
    assertThat(silent.oldest()).isEqualTo(found(lost).deliverAt());
    assertThat(silent.consumers()).isEmpty();

    MessageKey early = held(route, "early");
    MessageKey late = inserted(message(route, "late", store().now().plusSeconds(9)));
    Instant before = store().now();
    handlings().settle(begun(late, "fast"));
    handlings().settle(begun(early, "slow"));
    Overdue evidence = overdue(route).orElseThrow();
    assertThat(evidence.consumers())
        .extracting(ConsumerProgress::consumer, ConsumerProgress::settledDueUpTo)
        .containsExactly(
            tuple("fast", found(late).deliverAt()), tuple("slow", found(early).deliverAt()));
    assertThat(evidence.consumers())
        .allSatisfy(each -> assertThat(each.lastSettledAt()).isBetween(before, store().now()));

    handlings().settle(begun(lost, "fast"));
    assertThat(overdue(route)).isEmpty();
  }

  @Test
  default void overdue_messages_go_back_unless_they_have_arrived() {
    String route = newRoute();
    MessageKey lost = held(route, "lost");
    MessageKey failed = held(route, "failed");
    handlings().fail(begun(failed, "q"), "no stock");
    MessageKey begun = held(route, "begun");
    begun(begun, "q");
    Instant now = store().now();
    assertThat(store().returnOverdue(route, found(lost).deliverAt(), now, 10)).isZero();
    assertThat(store().returnOverdue(newRoute(), now, now, 10)).isZero();
    assertThat(store().returnOverdue(route, now, now, 10)).isEqualTo(1);
    assertThat(state(lost)).isEqualTo(MessageState.PENDING);
    assertThat(state(failed)).isEqualTo(MessageState.FAILED);
    assertThat(state(begun)).isEqualTo(MessageState.PENDING);
    assertThat(claim(route, OTHER)).extracting(Claim::key).containsExactly(lost);
  }

  @Test
  default void what_was_sent_again_lately_is_not_sent_again() {
    String route = newRoute();
    held(route, "first");
    held(route, "second");
    assertThat(store().returnOverdue(route, store().now(), store().now(), 1)).isEqualTo(1);
    Claim sentAgain = claimOne(route, LOADER);
    Instant lately = store().now().plusSeconds(30);
    assertThat(sent(sentAgain, lately)).isTrue();

    Overdue rest = overdue(route).orElseThrow();
    assertThat(rest.count()).isEqualTo(1);
    assertThat(rest.notBegun()).isEqualTo(2);
    assertThat(store().returnOverdue(route, lately, store().now(), 10)).isEqualTo(1);
    assertThat(state(sentAgain.key())).isEqualTo(MessageState.HELD);
    assertThat(overdue(route)).isEmpty();
  }

  @Test
  default void what_arrived_before_it_was_moved_has_not_arrived_again() {
    String route = newRoute();
    MessageKey key = held(route, "a");
    handlings().fail(begun(key, "q"), "no stock");
    assertThat(store().reschedule(key, store().now())).isEqualTo(ChangeOutcome.DONE);
    assertThat(hold(claimOne(route, LOADER))).isTrue();

    Instant later = store().now().plusSeconds(2);
    assertThat(store().returnOverdue(route, later, later, 10)).isEqualTo(1);
    assertThat(state(key)).isEqualTo(MessageState.PENDING);
  }

  /** A wheel may have no hand below an hour; its copies are held for so much longer than asked. */
  @Test
  default void what_a_coarse_wheel_still_holds_is_not_overdue() {
    String route = newRoute();
    due(route, "a");
    Instant due = store().now();
    Instant heldUntil = due.plusSeconds(3_600);
    Claim claim = claimOne(route, LOADER);
    assertThat(sent(claim, heldUntil)).isTrue();

    Instant before = heldUntil.minusSeconds(1);
    assertThat(store().returnOverdue(route, before, before, 10)).isZero();
    assertThat(store().returnOverdue(route, before, heldUntil.plusSeconds(1), 10)).isEqualTo(1);
  }

  @Test
  default void what_waits_for_another_try_is_not_overdue() {
    String route = newRoute();
    MessageKey key = held(route, "a");
    Instant next = store().now().plusSeconds(600);
    assertThat(handlings().postpone(begun(key, "q"), next, "status 503")).isTrue();

    assertThat(overdue(route)).isEmpty();
    Instant soon = store().now().plusSeconds(1);
    assertThat(store().returnOverdue(route, soon, soon, 10)).isZero();
    assertThat(state(key)).isEqualTo(MessageState.PENDING);
    assertThat(found(key).nextAt()).isEqualTo(next);
  }

  /** Its last copy counts, and not that its consumer has begun one before. */
  @Test
  default void a_next_try_that_was_sent_and_not_begun_is_overdue() {
    String route = newRoute();
    MessageKey key = held(route, "a");
    assertThat(handlings().postpone(begun(key, "q"), store().now(), "status 503")).isTrue();
    assertThat(sent(claimOne(route, LOADER), store().now())).isTrue();
    assertThat(state(key)).isEqualTo(MessageState.HELD);

    Instant soon = store().now().plusSeconds(1);
    assertThat(store().overdue(soon)).extracting(Overdue::route).contains(route);
    assertThat(store().returnOverdue(route, soon, soon, 10)).isEqualTo(1);
    assertThat(claimOne(route, OTHER).message().nextQueue()).isEqualTo("q");
  }

  @Test
  default void what_was_begun_and_never_ended_is_sent_again() {
    String route = newRoute();
    held(route, "not begun");
    begun(held(route, "under way"), "q");
    Instant next = store().now().plusSeconds(600);
    handlings().postpone(begun(held(route, "waits for a try"), "q"), next, "status 503");
    handlings().fail(begun(held(route, "failed"), "q"), "no stock");
    handlings().abandon(begun(held(route, "back in its queue"), "q"));
    handlings().settle(begun(held(route, "settled"), "q"));
    assertThat(claim(route, OTHER)).isEmpty();

    MessageKey left = held(route, "left");
    Handling gone = handlings().begin(left, 1, "q", Duration.ZERO).handling();
    assertThat(state(left)).isEqualTo(MessageState.PENDING);
    Claim again = claimOne(route, OTHER);
    assertThat(handlings().settle(gone)).as("too late").isFalse();
    assertThat(again.key()).isEqualTo(left);
    assertThat(again.abandoned()).isTrue();
    assertThat(again.message().generation()).isEqualTo(1);
    assertThat(sent(again, store().now())).isTrue();
    assertThat(claim(route, OTHER)).as("once").isEmpty();
    assertThat(state(left)).isEqualTo(MessageState.HELD);
    assertThat(handlings().settle(begun(left, "q"))).isTrue();
  }

  @Test
  default void loaders_give_signs_of_life() {
    Instant horizon = store().now().plusSeconds(60);
    String owner = newRoute();
    Instant before = store().now();
    store().heartbeat(new LoaderHeartbeat(owner, Instant.EPOCH, horizon, 1, null, null));
    assertThat(heartbeat(owner).lastRun()).isNull();
    assertThat(heartbeat(owner).lease()).isNull();

    Duration lease = Duration.ofSeconds(90);
    store().heartbeat(new LoaderHeartbeat(owner, Instant.EPOCH, horizon, 2, before, lease));
    assertThat(heartbeat(owner))
        .satisfies(
            beat -> {
              assertThat(beat.at()).isBetween(before, store().now());
              assertThat(beat.horizon()).isEqualTo(horizon);
              assertThat(beat.loaded()).isEqualTo(2);
              assertThat(beat.lastRun()).isEqualTo(before);
              assertThat(beat.lease()).isEqualTo(lease);
            });
  }

  private LoaderHeartbeat heartbeat(String owner) {
    List<LoaderHeartbeat> beats =
        store().heartbeats().stream().filter(beat -> beat.owner().equals(owner)).toList();
    assertThat(beats).hasSize(1);
    return beats.get(0);
  }
}
