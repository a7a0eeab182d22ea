// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SchedulingStore.InsertOutcome;
import io.pocketwatch.store.SettlingStore.Attempts;
import io.pocketwatch.store.SettlingStore.Beginning;
import io.pocketwatch.store.SettlingStore.Begun;
import io.pocketwatch.store.SettlingStore.Begun.Verdict;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.SettlingStore.Ending;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.store.Handlings;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Many handlers at once, whose begins and settles share transactions. */
interface CrowdTests extends JdbcStoreContract {
  int HANDLERS = 32;

  @Test
  default void each_message_is_handled_once() throws Exception {
    String route = newRoute();
    Instant now = store().now();
    List<ScheduledMessage> messages =
        IntStream.range(0, 500).mapToObj(i -> message(route, "m" + i, now, Tracking.FULL)).toList();
    assertThat(store().insert(messages, null)).containsOnly(InsertOutcome.INSERTED);
    // Each message comes four times, as after crashes.
    List<Callable<String>> deliveries = new ArrayList<>();
    for (ScheduledMessage message : messages) {
      deliveries.addAll(Collections.nCopies(4, () -> handle(message.key(), "q")));
    }
    Collections.shuffle(deliveries);

    List<String> handled = all(deliveries);

    assertThat(handled).hasSize(4 * messages.size());
    assertThat(handled).filteredOn(each -> !each.isEmpty()).doesNotHaveDuplicates();
    assertThat(handled).filteredOn(each -> !each.isEmpty()).hasSize(messages.size());
    assertThat(messages)
        .allSatisfy(each -> assertThat(state(each.key())).isEqualTo(MessageState.SETTLED));
  }

  /** What was handled, or nothing; a copy that finds the other one at work has come for nothing. */
  private String handle(MessageKey key, String consumer) {
    Handlings.Answer begun = Handlings.of(store()).begin(key, 1, consumer, LONG);
    Handling handling = begun.begun();
    if (handling == null) {
      assertThat(begun.verdict()).isIn(Verdict.BUSY, Verdict.SETTLED);
      return "";
    }
    assertThat(Handlings.of(store()).settle(handling)).isTrue();
    assertThat(Handlings.of(store()).fail(handling, "late")).as("a second end").isFalse();
    return consumer + " " + key;
  }

  @Test
  default void of_many_copies_of_one_message_one_is_handled() throws Exception {
    MessageKey key = held(newRoute(), "a");
    List<Callable<Verdict>> copies =
        Collections.nCopies(200, () -> Handlings.of(store()).begin(key, 1, "q", LONG).verdict());

    List<Verdict> verdicts = all(copies);

    assertThat(verdicts).filteredOn(verdict -> verdict == Verdict.HANDLE).hasSize(1);
    assertThat(verdicts).filteredOn(verdict -> verdict == Verdict.BUSY).hasSize(199);
  }

  @Test
  default void a_message_that_is_locked_holds_up_no_other() throws Exception {
    String route = newRoute();
    MessageKey locked = held(route, "locked");
    List<MessageKey> others = IntStream.range(0, 50).mapToObj(i -> held(route, "m" + i)).toList();
    ExecutorService threads = Executors.newFixedThreadPool(HANDLERS);
    try (Connection other = dataSource().getConnection()) {
      Future<Handlings.Answer> waiting = lockAndBegin(other, locked, threads);
      List<Callable<Boolean>> handlings = new ArrayList<>();
      others.forEach(key -> handlings.add(() -> Handlings.of(store()).settle(begun(key, "q"))));
      for (Future<Boolean> each : threads.invokeAll(handlings, 20, TimeUnit.SECONDS)) {
        assertThat(each.get()).isTrue();
      }
      assertThat(waiting).isNotDone();
      other.commit();
      other.setAutoCommit(true);
      assertThat(waiting.get(20, TimeUnit.SECONDS).verdict()).isEqualTo(Verdict.HANDLE);
    } finally {
      threads.shutdownNow();
    }
  }

  /**
   * What recovery goes by is worth no wait: whoever finds it locked leaves it to the next batch.
   */
  @Test
  default void nobody_waits_to_write_how_far_a_consumer_has_come() throws Exception {
    String route = newRoute();
    assertThat(Handlings.of(store()).settle(begun(held(route, "first"), "q"))).isTrue();
    Handling second = begun(held(route, "second"), "q");
    try (Connection other = dataSource().getConnection()) {
      other.setAutoCommit(false);
      String lock = "SELECT consumer FROM pocketwatch_progress WHERE route = ? FOR UPDATE";
      assertThat(Jdbc.list(other, lock, row -> row.getString(1), route)).containsExactly("q");
      assertThat(answered(() -> store().end(List.of(Ending.settle(second)))))
          .containsExactly(Ended.APPLIED);
      other.rollback();
      other.setAutoCommit(true);
    }
  }

  @Test
  default void a_batch_answers_what_is_locked_at_once_and_does_the_rest() throws Exception {
    String route = newRoute();
    List<Handling> all =
        Stream.of("first", "locked", "last")
            .map(id -> new Handling(held(route, id), "q", "of " + id))
            .toList();
    List<Beginning> copies = all.stream().map(one -> new Beginning(one, 1)).toList();
    List<Ending> endings = all.stream().map(Ending::settle).toList();
    try (Connection other = dataSource().getConnection()) {
      lock(other, all.get(1).key());
      assertThat(answered(() -> store().begin(copies, LONG)))
          .containsExactly(
              Begun.handle(Attempts.NONE), Begun.of(Verdict.LOCKED), Begun.handle(Attempts.NONE));
      other.rollback();
      assertThat(store().begin(List.of(copies.get(1)), LONG))
          .containsExactly(Begun.handle(Attempts.NONE));

      lock(other, all.get(1).key());
      assertThat(answered(() -> store().extend(all, LONG))).containsExactly(true, true, true);
      assertThat(answered(() -> store().end(endings)))
          .containsExactly(Ended.APPLIED, Ended.LOCKED, Ended.APPLIED);
      other.rollback();
      other.setAutoCommit(true);
    }
    assertThat(all)
        .extracting(one -> state(one.key()))
        .containsExactly(MessageState.SETTLED, MessageState.PENDING, MessageState.SETTLED);
    assertThat(store().end(endings)).containsOnly(Ended.APPLIED);
    assertThat(state(all.get(1).key())).isEqualTo(MessageState.SETTLED);
  }

  /** It was sent when due, and its handler has begun to settle it by now. */
  @Test
  default void claims_end_without_waiting_for_a_handlers_transaction() throws Exception {
    String route = newRoute();
    List<MessageKey> keys = Stream.of("sent", "locked", "back").map(id -> due(route, id)).toList();
    Map<String, Claim> claims =
        claim(route, LOADER).stream().collect(Collectors.toMap(one -> one.key().id(), one -> one));
    Claim locked = Objects.requireNonNull(claims.get("locked"));
    Claim back = Objects.requireNonNull(claims.get("back"));
    Conclusion sent = Conclusion.sent(Objects.requireNonNull(claims.get("sent")), store().now());
    try (Connection other = dataSource().getConnection()) {
      other.setAutoCommit(false);
      assertThat(jdbcStore().settleIn(other, begun(keys.get(1), "q"))).isTrue();
      Conclusion locks = Conclusion.sent(locked, store().now());
      assertThat(answered(() -> store().conclude(List.of(sent, locks, Conclusion.giveBack(back)))))
          .as("begun: no longer its loader's")
          .containsExactly(Ended.APPLIED, Ended.OVERTAKEN, Ended.APPLIED);
      other.commit();
      other.setAutoCommit(true);
    }
    assertThat(store().conclude(List.of(Conclusion.sent(locked, store().now()))))
        .containsExactly(Ended.OVERTAKEN);
    assertThat(state(locked.key())).isEqualTo(MessageState.SETTLED);
  }

  /** Nobody handles such rows in a transaction, but on some databases an insert locks them. */
  @Test
  default void claims_end_without_waiting_for_a_transaction_that_publishes_their_ids_again()
      throws Exception {
    String route = newRoute();
    Instant now = store().now();
    List<ScheduledMessage> messages =
        Stream.of("sent", "again", "back", "over")
            .map(id -> message(route, id, now, Tracking.HANDOFF))
            .toList();
    assertThat(store().insert(messages, null)).containsOnly(InsertOutcome.INSERTED);
    Map<String, Conclusion> ends =
        claim(route, LOADER).stream()
            .collect(Collectors.toMap(one -> one.key().id(), one -> Conclusion.sent(one, now)));
    Conclusion sent = Objects.requireNonNull(ends.get("sent"));
    Conclusion again = Objects.requireNonNull(ends.get("again"));
    Conclusion over = Objects.requireNonNull(ends.get("over"));
    Conclusion back = Conclusion.giveBack(Objects.requireNonNull(ends.get("back")).claim());
    assertThat(store().conclude(List.of(over))).containsExactly(Ended.APPLIED);
    List<Ended> ended;
    try (Connection publisher = dataSource().getConnection()) {
      publisher.setAutoCommit(false);
      assertThat(jdbcStore().insert(publisher, List.of(messages.get(1), messages.get(3)), null))
          .containsOnly(InsertOutcome.DUPLICATE);
      ended = answered(() -> store().conclude(List.of(sent, again, back, over)));
      publisher.commit();
      publisher.setAutoCommit(true);
    }
    assertThat(ended.get(0)).isEqualTo(Ended.APPLIED);
    assertThat(ended.get(1)).isIn(Ended.APPLIED, Ended.LOCKED);
    assertThat(ended.subList(2, 4)).containsExactly(Ended.APPLIED, Ended.OVERTAKEN);
    assertThat(store().conclude(List.of(again)))
        .containsExactly(ended.get(1) == Ended.LOCKED ? Ended.APPLIED : Ended.OVERTAKEN);
  }

  /** What is answered while somebody else's transaction is open: a call that waits for it fails. */
  private static <T> List<T> answered(Supplier<List<T>> call) throws Exception {
    return CompletableFuture.supplyAsync(call).get(20, TimeUnit.SECONDS);
  }

  private static void lock(Connection other, MessageKey key) throws SQLException {
    other.setAutoCommit(false);
    Jdbc.list(
        other,
        "SELECT id FROM pocketwatch_message WHERE route = ? AND id = ? FOR UPDATE",
        row -> row.getString(1),
        key.route(),
        key.id());
  }

  private Future<Handlings.Answer> lockAndBegin(
      Connection other, MessageKey key, ExecutorService threads)
      throws SQLException, InterruptedException {
    lock(other, key);
    CountDownLatch asking = new CountDownLatch(1);
    Future<Handlings.Answer> waiting =
        threads.submit(
            () -> {
              asking.countDown();
              return Handlings.of(store()).begin(key, 1, "q", LONG);
            });
    asking.await();
    return waiting;
  }

  private static <T> List<T> all(List<Callable<T>> work) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(HANDLERS);
    try {
      List<T> results = new ArrayList<>();
      for (Future<T> each : threads.invokeAll(work, 120, TimeUnit.SECONDS)) {
        results.add(each.get());
      }
      return results;
    } finally {
      threads.shutdownNow();
    }
  }
}
