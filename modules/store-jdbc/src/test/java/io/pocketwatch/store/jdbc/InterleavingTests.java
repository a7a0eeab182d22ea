// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SchedulingStore.InsertOutcome;
import io.pocketwatch.store.SchedulingStore.ManyChanged;
import io.pocketwatch.store.SchedulingStore.MessageChange;
import io.pocketwatch.store.SettlingStore.Begun.Verdict;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.store.Handlings;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The interleavings in which a simpler store loses or doubles a message. */
interface InterleavingTests extends JdbcStoreContract {
  @Test
  default void mark_held_after_settle() {
    String route = newRoute();
    MessageKey key = due(route, "a");
    Claim claim = claimOne(route, LOADER);
    assertThat(Handlings.of(store()).settle(begun(key, "q"))).isTrue();
    assertThat(hold(claim)).isFalse();
    assertThat(state(key)).isEqualTo(MessageState.SETTLED);
  }

  @Test
  default void confirm_after_reschedule() {
    String route = newRoute();
    MessageKey key = due(route, "a");
    Claim claim = claimOne(route, LOADER);
    assertThat(store().reschedule(key, store().now())).isEqualTo(ChangeOutcome.DONE);
    Claim next = claimOne(route, LOADER);
    assertThat(hold(claim)).as("the first copy's confirm").isFalse();
    assertThat(hold(next)).isTrue();
    assertThat(found(key).generation()).isEqualTo(2);
  }

  @Test
  default void old_copy_after_reschedule_later_and_earlier() {
    for (int seconds : new int[] {3600, -3600}) {
      MessageKey key = held(newRoute(), "a");
      Instant next = store().now().plusSeconds(seconds);
      assertThat(store().reschedule(key, next)).isEqualTo(ChangeOutcome.DONE);
      assertThat(Handlings.of(store()).begin(key, 1, "q", LONG).verdict())
          .isEqualTo(Verdict.OUTDATED);
      assertThat(Handlings.of(store()).settle(begun(key, "q"))).isTrue();
      assertThat(Handlings.of(store()).begin(key, 1, "q", LONG).verdict())
          .as("the old copy behind the new one")
          .isEqualTo(Verdict.OUTDATED);
    }
  }

  @Test
  default void loader_stopped_longer_than_its_lease() {
    String route = newRoute();
    MessageKey key = due(route, "a");
    Claim stopped = claimOne(route, new Lease("loader-1", Duration.ofMillis(20)));
    Claim next =
        Awaitility.await().until(() -> claim(route, LOADER), claims -> !claims.isEmpty()).get(0);
    assertThat(next.owner()).as("the same process").isEqualTo(stopped.owner());
    assertThat(store().conclude(List.of(Conclusion.delete(stopped))))
        .containsExactly(Ended.OVERTAKEN);
    assertThat(park(stopped, "x")).isFalse();
    assertThat(postpone(stopped, LONG, "x")).isFalse();
    assertThat(giveBack(List.of(stopped))).isZero();
    assertThat(hold(stopped)).isFalse();
    assertThat(hold(next)).isTrue();
    assertThat(state(key)).isEqualTo(MessageState.HELD);
  }

  @Test
  default void cancel_while_the_handler_runs_and_its_transaction_is_open() throws Exception {
    MessageKey key = held(newRoute(), "a");
    Handling handling = begun(key, "q");
    assertThat(store().cancel(key)).isEqualTo(ChangeOutcome.BEING_HANDLED);
    CompletableFuture<ChangeOutcome> cancel;
    try (Connection handler = dataSource().getConnection()) {
      handler.setAutoCommit(false);
      assertThat(jdbcStore().settleIn(handler, handling)).isTrue();
      cancel = waitingForTheRow(() -> store().cancel(key));
      handler.commit();
      handler.setAutoCommit(true);
    }
    assertThat(cancel.get(20, TimeUnit.SECONDS)).isEqualTo(ChangeOutcome.TOO_LATE);
  }

  @Test
  default void
      what_an_open_transaction_holds_is_being_handled_and_the_rest_of_a_filter_is_cancelled()
          throws Exception {
    String route = newRoute();
    MessageKey key = held(route, "a");
    MessageKey free = held(route, "b");
    Handling handling = begun(key, "q");
    MessageQuery filter =
        MessageQuery.all().route(route).states(MessageState.PENDING, MessageState.HELD);
    try (Connection handler = dataSource().getConnection()) {
      handler.setAutoCommit(false);
      assertThat(jdbcStore().settleIn(handler, handling)).isTrue();
      CompletableFuture<ManyChanged> cancel =
          CompletableFuture.supplyAsync(
              () -> store().changeAll(filter, MessageChange.cancel(), null, soFar -> true));
      assertThat(cancel.get(60, TimeUnit.SECONDS).counts())
          .isEqualTo(Map.of(ChangeOutcome.DONE, 1L, ChangeOutcome.BEING_HANDLED, 1L));
      handler.commit();
      handler.setAutoCommit(true);
    }
    assertThat(state(key)).isEqualTo(MessageState.SETTLED);
    assertThat(state(free)).isEqualTo(MessageState.CANCELLED);
  }

  @Test
  default void a_lease_is_renewed_without_waiting_for_a_transaction_that_settles()
      throws Exception {
    MessageKey key = held(newRoute(), "a");
    Handling handling = begun(key, "q");
    try (Connection handler = dataSource().getConnection()) {
      handler.setAutoCommit(false);
      assertThat(jdbcStore().settleIn(handler, handling)).isTrue();
      CompletableFuture<Boolean> renewed =
          CompletableFuture.supplyAsync(() -> Handlings.of(store()).extend(handling, LONG));
      assertThat(renewed.get(20, TimeUnit.SECONDS)).isTrue();
      handler.commit();
      handler.setAutoCommit(true);
    }
    assertThat(Handlings.of(store()).extend(handling, LONG)).isFalse();
    assertThat(state(key)).isEqualTo(MessageState.SETTLED);
  }

  @Test
  default void a_release_waits_for_the_transaction_that_may_settle() throws Exception {
    for (boolean commit : new boolean[] {false, true}) {
      MessageKey key = held(newRoute(), "a");
      Handling handling = begun(key, "q");
      CompletableFuture<Boolean> release;
      try (Connection handler = dataSource().getConnection()) {
        handler.setAutoCommit(false);
        assertThat(jdbcStore().settleIn(handler, handling)).isTrue();
        release = waitingForTheRow(() -> Handlings.of(store()).abandon(handling));
        if (commit) {
          handler.commit();
        } else {
          handler.rollback();
        }
        handler.setAutoCommit(true);
      }
      assertThat(release.get(20, TimeUnit.SECONDS)).isEqualTo(!commit);
      assertThat(state(key)).isEqualTo(commit ? MessageState.SETTLED : MessageState.HELD);
    }
  }

  @Test
  default void publisher_and_sweep_at_the_same_row() {
    String route = newRoute();
    Instant now = store().now();
    ScheduledMessage message = message(route, "a", now);
    Lease publisher = new Lease("publisher", Duration.ofMillis(20));
    assertThat(store().insert(List.of(message), publisher)).containsExactly(InsertOutcome.INSERTED);
    StoredMessage row = found(message.key());
    Claim sweep =
        Awaitility.await().until(() -> claim(route, LOADER), claims -> !claims.isEmpty()).get(0);
    assertThat(hold(new Claim(row, "publisher", 1, false))).isFalse();
    assertThat(hold(sweep)).isTrue();
    // Both copies arrive; one is handled.
    Handlings.Answer one = Handlings.of(store()).begin(message.key(), 1, "q", LONG);
    assertThat(one.verdict()).isEqualTo(Verdict.HANDLE);
    assertThat(Handlings.of(store()).begin(message.key(), 1, "q", LONG).verdict())
        .isEqualTo(Verdict.BUSY);
  }

  @Test
  default void two_writers_of_one_id_in_open_transactions() throws Exception {
    ScheduledMessage message = message(newRoute(), "a", store().now());
    for (boolean commit : new boolean[] {false, true}) {
      CompletableFuture<List<InsertOutcome>> other;
      try (Connection caller = dataSource().getConnection()) {
        caller.setAutoCommit(false);
        assertThat(jdbcStore().insert(caller, List.of(message), null))
            .containsExactly(InsertOutcome.INSERTED);
        other =
            waitingForTheRow(
                () -> {
                  List<InsertOutcome> outcome = store().insert(List.of(message), null);
                  if (!commit) {
                    store()
                        .conclude(
                            List.of(Conclusion.delete(claimOne(message.key().route(), LOADER))));
                  }
                  return outcome;
                });
        if (commit) {
          caller.commit();
        } else {
          caller.rollback();
        }
        caller.setAutoCommit(true);
      }
      assertThat(other.get(20, TimeUnit.SECONDS))
          .containsExactly(commit ? InsertOutcome.DUPLICATE : InsertOutcome.INSERTED);
    }
  }

  /** Begins it, and looks that it does not end while somebody else has the row. */
  private static <T> CompletableFuture<T> waitingForTheRow(Supplier<T> work) {
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<T> other =
        CompletableFuture.supplyAsync(
            () -> {
              begun.countDown();
              return work.get();
            });
    Awaitility.await().until(() -> begun.getCount() == 0);
    Awaitility.await().during(Duration.ofMillis(300)).until(() -> !other.isDone());
    return other;
  }
}
