// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.store.LoadingStore.Retention;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Finished rows are deleted when their retention is over. */
public interface RetentionContract extends StoreContract {
  /** Shorter than any clock's tick: everything finished is old enough. */
  Retention NOTHING_KEPT = new Retention(Duration.ZERO, Duration.ZERO);

  private void deleteAll() {
    while (store().deleteFinished(NOTHING_KEPT, 1000) > 0) {
      // the next thousand
    }
  }

  @Test
  default void finished_rows_go_and_the_others_stay() {
    String route = newRoute();
    MessageKey settled = held(route, "settled");
    handlings().settle(begun(settled, "q"));
    MessageKey cancelled = due(route, "cancelled");
    store().cancel(cancelled);
    MessageKey failed = held(route, "failed");
    handlings().fail(begun(failed, "q"), "no stock");
    MessageKey held = held(route, "held");
    MessageKey parked = due(route, "parked");
    park(claimOne(route, LOADER), "unroutable");
    MessageKey pending = due(route, "pending");

    Awaitility.await()
        .untilAsserted(
            () -> {
              deleteAll();
              assertThat(store().find(settled)).isEmpty();
              assertThat(store().find(cancelled)).isEmpty();
              assertThat(store().find(failed)).isEmpty();
            });
    assertThat(state(held)).isEqualTo(MessageState.HELD);
    assertThat(state(parked)).as("a human decides").isEqualTo(MessageState.PARKED);
    assertThat(state(pending)).isEqualTo(MessageState.PENDING);
    assertThat(handlings().begin(settled, 1, "q", LONG).verdict())
        .isEqualTo(io.pocketwatch.store.SettlingStore.Begun.Verdict.UNKNOWN);
  }

  @Test
  default void rows_stay_as_long_as_they_are_kept_or_a_copy_is_out() {
    String route = newRoute();
    MessageKey kept = due(route, "kept");
    store().cancel(kept);
    store().deleteFinished(new Retention(LONG, Duration.ZERO), 1000);
    assertThat(state(kept)).isEqualTo(MessageState.CANCELLED);

    MessageKey out = inserted(message(route, "out", store().now().minusSeconds(1)));
    var claim = claimOne(route, LOADER);
    sent(claim, store().now().plus(LONG));
    store().cancel(out);
    deleteAll();
    assertThat(state(out)).isEqualTo(MessageState.CANCELLED);
  }

  @Test
  default void a_cancelled_row_is_kept_from_when_its_copy_is_due_for_it_may_lie_in_a_backlog() {
    String route = newRoute();
    Duration keep = Duration.ofSeconds(1);
    MessageKey key = due(route, "a");
    Instant copyDue = store().now().plusSeconds(1);
    sent(claimOne(route, LOADER), copyDue);
    assertThat(store().cancel(key)).isEqualTo(ChangeOutcome.DONE);

    Awaitility.await()
        .until(
            () -> {
              store().deleteFinished(new Retention(keep, Duration.ZERO), 1000);
              return store().find(key).isEmpty();
            });
    assertThat(store().now()).isAfterOrEqualTo(copyDue.plus(keep));
  }

  @Test
  default void what_had_to_stay_behind_others_goes_when_it_is_old_enough() {
    deleteAll(); // of other tests: below, each look takes one
    String route = newRoute();
    MessageKey first = due(route, "first");
    Instant copyDue = store().now().plusSeconds(1);
    sent(claimOne(route, LOADER), copyDue);
    List<MessageKey> all = List.of(first, due(route, "second"), due(route, "third"));
    all.forEach(key -> assertThat(store().cancel(key)).isEqualTo(ChangeOutcome.DONE));

    Awaitility.await()
        .until(
            () -> {
              store().deleteFinished(NOTHING_KEPT, 1);
              return all.stream().noneMatch(key -> store().find(key).isPresent());
            });
    assertThat(store().now()).isAfterOrEqualTo(copyDue);
  }

  @Test
  default void a_cancelled_row_that_was_on_its_way_stays_until_its_copy_is_due() {
    String route = newRoute();
    Instant later = store().now().plusSeconds(60);
    MessageKey key = message(route, "a", later).key();
    store().insert(List.of(message(route, "a", later)), LOADER);
    store().cancel(key);
    deleteAll();
    assertThat(state(key)).isEqualTo(MessageState.CANCELLED);
  }

  @Test
  default void handed_off_rows_leave_when_they_are_due() {
    String route = newRoute();
    Instant past = store().now().minusSeconds(10);
    MessageKey gone = inserted(message(route, "gone", past, Tracking.HANDOFF));
    var claim = claimOne(route, LOADER);
    sent(claim, past);
    MessageKey waiting = inserted(message(route, "waiting", past, Tracking.HANDOFF));
    deleteAll();
    assertThat(store().find(gone)).isEmpty();
    assertThat(state(waiting)).isEqualTo(MessageState.PENDING);
  }
}
