// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.Headers;
import io.pocketwatch.guard.FakeQueue.Copy;
import io.pocketwatch.guard.GuardedQueueScene.Given;
import io.pocketwatch.guard.GuardedQueueScene.Process;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Orders of events, one after another, each with what comes of it. */
class DeliveryOrderTest {
  private final GuardedQueueScene it = new GuardedQueueScene(null);

  @AfterEach
  void nothing_was_broken_at_any_moment() {
    assertThat(it.broken).isEmpty();
  }

  private Process consuming() {
    Process process = it.process();
    process.consume();
    return process;
  }

  // Settled, then acknowledged

  @Test
  void what_is_acknowledged_is_settled_first() {
    consuming();
    it.send("a");
    it.deliverAll();
    it.time.busy("pocketwatch-guard-end");

    it.given("a").ack();
    it.time.runAll();
    assertThat(it.told()).isEmpty();
    it.time.idle("pocketwatch-guard-end");
    it.time.runAll();

    assertThat(it.row("a").state).isEqualTo(MessageState.SETTLED);
    assertThat(it.told()).containsExactly("ack up to 1");
  }

  @Test
  void one_frame_acknowledges_all_before_the_first_open_one() {
    consuming();
    it.send("a", "b", "c", "d");
    it.deliverAll();

    for (String id : List.of("d", "b", "a")) {
      it.given(id).ack();
    }
    it.time.advance(Duration.ofMillis(20));

    assertThat(it.told()).contains("ack up to 2", "ack 4").doesNotContain("ack up to 4");
  }

  @Test
  void settles_gather_while_nobody_waits_for_them() {
    consuming();
    it.send("a", "b", "c", "d", "e");
    it.deliverAll();
    it.given("a").ack();
    it.time.runAll();

    it.given("b").ack();
    it.time.advance(Duration.ofMillis(25));
    it.given("c").ack();
    it.time.advance(Duration.ofMillis(24));
    assertThat(it.store.calls).doesNotContain("end [SETTLE b, SETTLE c]");
    it.time.advance(Duration.ofMillis(1));

    assertThat(it.store.calls).contains("end [SETTLE b, SETTLE c]");
  }

  @Test
  void the_last_one_that_its_consumer_has_is_settled_at_once() throws Exception {
    Process process = consuming();
    process.guarded.basicQos(2);
    it.send("a", "b");
    it.deliverAll();
    it.given("a").ack();
    it.time.runAll();
    it.send("c");
    it.deliverAll();

    it.given("b").ack();
    it.time.runAll();
    assertThat(it.told()).containsExactly("ack up to 1");
    it.given("c").ack();
    it.time.runAll();

    assertThat(it.told()).containsExactly("ack up to 1", "ack up to 3");
  }

  @Test
  void begins_gather_for_three_milliseconds() {
    consuming();
    it.send("a", "b", "c");
    it.processes.get(0).delivers();
    it.time.runAll();
    it.processes.get(0).delivers();
    it.processes.get(0).delivers();
    it.time.advance(Duration.ofMillis(3));

    assertThat(it.store.calls).containsExactly("begin [a]", "begin [b, c]");
  }

  @Test
  void the_second_answer_of_a_consumer_is_nobodys() {
    consuming();
    it.send("a");
    it.deliverAll();
    Given one = it.given("a");

    one.ack();
    one.reject();
    one.requeue();
    it.time.advance(Duration.ofSeconds(1));

    assertThat(it.row("a").state).isEqualTo(MessageState.SETTLED);
    assertThat(it.told()).containsExactly("ack up to 1");
  }

  @Test
  void a_tag_that_means_several_does_not_mean_one_that_waits_for_its_turn() {
    Process process = consuming();
    it.send("a", "b");
    it.row("a").locked = true;
    it.deliverAll();
    assertThat(it.givenIds()).containsExactly("b");

    GuardedQueueScene.run(() -> process.guarded.basicAck(1, true));
    it.time.advance(Duration.ofMillis(50));
    it.row("a").locked = false;
    it.time.advance(Duration.ofSeconds(1));

    assertThat(it.row("b").state).isEqualTo(MessageState.SETTLED);
    assertThat(it.row("a").state).isEqualTo(MessageState.HELD);
    assertThat(it.givenIds()).containsExactly("b", "a");
  }

  // What is not handled

  @Test
  void copies_of_what_is_over_are_acknowledged_and_dropped() {
    consuming();
    it.send("settled", "cancelled", "moved");
    it.row("settled").state = MessageState.SETTLED;
    it.row("cancelled").state = MessageState.CANCELLED;
    it.row("moved").generation = 2;

    it.deliverAll();

    assertThat(it.given).isEmpty();
    assertThat(it.events)
        .containsExactly(
            "skipped settled SETTLED", "skipped cancelled CANCELLED", "skipped moved OUTDATED");
    assertThat(it.queue.waiting).isEmpty();
    assertThat(it.processes.get(0).channel.unacked).isEmpty();
  }

  @Test
  void a_busy_copy_is_acknowledged_and_dropped() {
    consuming();
    Process other = consuming();
    it.send("a");
    it.deliverAll();
    it.queue.waiting.add(Copy.tracked("a", 1));

    other.delivers();
    it.time.runAll();

    assertThat(it.events).containsExactly("skipped a BUSY");
    assertThat(other.channel.said).containsExactly("ack up to 1");
    assertThat(it.held).isEmpty();
    assertThat(it.given).hasSize(1);
  }

  /** A retry or dead-letter queue of the one who has settled it. */
  @Test
  void what_was_dead_lettered_by_who_has_settled_it_is_skipped() {
    Process process = consuming();
    it.store.add("a");
    it.row("a").state = MessageState.SETTLED;
    it.row("a").consumer = "billing";
    it.queue.waiting.add(Copy.tracked("a", 1).deadLetteredFrom("billing"));
    process.delivers();
    it.time.advance(Duration.ofSeconds(1));

    assertThat(it.events).containsExactly("skipped a SETTLED");
    assertThat(it.told()).containsExactly("ack up to 1");
    assertThat(process.channel.isConsumed()).isTrue();
  }

  /** It was not meant to have one, and must not lose it. */
  @Test
  void what_is_another_consumers_stays_in_its_queue_and_no_more_is_taken() {
    Process process = consuming();
    it.send("a", "b");
    it.row("a").other = "billing";
    process.delivers();
    it.time.advance(Duration.ofSeconds(1));

    assertThat(process.delivers()).as("takes more").isFalse();
    assertThat(it.given).isEmpty();
    assertThat(it.events).containsExactly("OtherConsumer");
    assertThat(it.told()).containsExactly("requeue 1");
    assertThat(it.queue.waiting).extracting(Copy::id).containsExactly("a", "b");
  }

  @Test
  void what_the_store_does_not_know_is_handled() {
    consuming();
    it.queue.waiting.add(Copy.tracked("unknown", 1));
    it.deliverAll();

    Given one = it.given("unknown");
    assertThat(one.delivery.handling()).isEmpty();
    one.ack();
    it.time.runAll();

    assertThat(it.told()).containsExactly("ack up to 1");
  }

  @Test
  void what_is_early_is_held_and_acknowledged_when_the_broker_has_it() {
    consuming();
    it.queue.waiting.add(
        Copy.untracked("early").due(it.time.clock().instant().plus(Duration.ofHours(1))));
    it.deliverAll();
    assertThat(it.told()).isEmpty();

    it.confirmsHeld();
    it.time.runAll();

    assertThat(it.told()).containsExactly("ack up to 1");
    assertThat(it.given).isEmpty();
  }

  @Test
  void what_is_early_no_more_when_the_store_says_so_is_begun_with_its_row() {
    consuming();
    it.store.add("early");
    it.row("early").heldByBroker = true;
    it.queue.waiting.add(
        Copy.tracked("early", 1).due(it.time.clock().instant().plus(Duration.ofMillis(1_100))));
    it.time.busy("pocketwatch-guard-begin");
    it.deliverAll();
    it.time.advance(Duration.ofMillis(200));
    it.time.idle("pocketwatch-guard-begin");
    it.time.advance(Duration.ofMillis(10));

    assertThat(it.held).isEmpty();
    assertThat(it.given("early").delivery.handling()).isPresent();
  }

  @Test
  void a_channel_goes_on_when_a_thread_can_be_started_again() {
    consuming();
    it.send("a");
    it.time.cannotStart("pocketwatch-guard", true);
    it.deliverAll();
    it.time.cannotStart("pocketwatch-guard", false);
    it.time.advance(Duration.ofSeconds(2));

    it.given("a").ack();
    it.time.advance(Duration.ofSeconds(1));

    assertThat(it.told()).containsExactly("ack up to 1");
  }

  @Test
  void what_the_broker_does_not_hold_is_tried_again_and_then_goes_back() {
    consuming();
    it.queue.waiting.add(
        Copy.untracked("early").due(it.time.clock().instant().plus(Duration.ofHours(1))));
    it.deliverAll();
    it.refuse(it.held.get(0));
    it.time.advance(Duration.ofMillis(200));
    assertThat(it.held).hasSize(2);
    assertThat(it.told()).isEmpty();

    it.time.advance(GuardedQueueScene.PATIENCE);
    it.refuse(it.held.get(1));
    it.time.runAll();

    assertThat(it.told()).containsExactly("requeue 1");
  }

  @Test
  void what_goes_back_waits_for_the_broker_that_is_to_hold_it() {
    Process process = consuming();
    it.queue.waiting.add(
        Copy.untracked("early").due(it.time.clock().instant().plus(Duration.ofHours(1))));
    it.deliverAll();
    process.cancel();
    it.time.advance(Duration.ofSeconds(2));
    assertThat(it.told()).isEmpty();

    it.refuse(it.held.get(0));
    it.time.runAll();

    assertThat(it.told()).containsExactly("requeue 1");
  }

  // A second consumer

  private static final String OTHER = "mail";

  /** Two queues on one channel; what the first has settled comes to the second, too. */
  private Process stopped(AtomicReference<String> second) {
    Process process = it.process();
    process.openRecoverable();
    process.consume();
    second.set(process.consume(OTHER));
    it.send("a", "b");
    it.row("a").state = MessageState.SETTLED;
    it.row("a").consumer = GuardedQueueScene.QUEUE;
    it.row("b").locked = true;
    process.channel.deliversTo(second.get());
    process.channel.deliversTo(second.get());
    it.time.advance(Duration.ofSeconds(2));
    return process;
  }

  @Test
  void a_second_consumer_is_stopped_alone_and_its_messages_go_back() {
    AtomicReference<String> second = new AtomicReference<>();
    Process process = stopped(second);

    assertThat(process.channel.isConsumed(second.get())).isFalse();
    assertThat(it.queue.waiting).extracting(Copy::id).containsExactlyInAnyOrder("a", "b");
    assertThat(process.channel.unacked).isEmpty();
    assertThat(it.events).containsExactly("OtherConsumer");
    assertThat(process.guard.stopped())
        .singleElement()
        .satisfies(
            each ->
                assertThat(each.description())
                    .contains("'mail' is stopped", "route/a", "'work'", "toQueue", "handoff"));

    it.queue.waiting.clear();
    it.send("c");
    it.deliverAll();
    it.given("c").ack();
    it.time.advance(Duration.ofSeconds(1));
    assertThat(it.row("c").state).isEqualTo(MessageState.SETTLED);
  }

  @Test
  void what_comes_to_it_while_it_is_being_stopped_goes_back() {
    Process process = consuming();
    String second = process.consume(OTHER);
    it.send("a", "b");
    it.row("a").state = MessageState.SETTLED;
    it.row("a").consumer = GuardedQueueScene.QUEUE;
    com.rabbitmq.client.Consumer before = process.channel.consumer(second);
    process.channel.deliversTo(second);
    it.time.advance(Duration.ofMillis(5));
    it.queue.waiting.removeIf(each -> each.id().equals("a"));

    process.channel.delivers(before, second);
    it.time.advance(Duration.ofSeconds(2));

    assertThat(it.givenIds()).isEmpty();
    assertThat(it.queue.waiting).extracting(Copy::id).containsExactly("b");
    assertThat(it.events).containsExactly("OtherConsumer");
  }

  @Test
  void it_stays_stopped_when_the_store_was_away() {
    AtomicReference<String> second = new AtomicReference<>();
    Process process = stopped(second);
    it.queue.waiting.clear();
    it.store.away = true;
    it.send("c");
    it.deliverAll();
    it.time.advance(GuardedQueueScene.PATIENCE.plusMinutes(1));
    assertThat(process.channel.isConsumed()).as("while the store is away").isFalse();

    it.store.away = false;
    it.time.advance(Duration.ofMinutes(2));
    it.deliverAll();

    assertThat(it.givenIds()).containsExactly("c");
    assertThat(process.channel.isConsumed(second.get())).isFalse();
    assertThat(process.guard.stopped()).hasSize(1);
  }

  @Test
  void it_stays_stopped_when_the_connection_has_recovered() {
    AtomicReference<String> second = new AtomicReference<>();
    Process process = stopped(second);

    process.channel.recovers();
    it.time.advance(Duration.ofSeconds(2));

    assertThat(process.channel.isConsumed()).isTrue();
    assertThat(process.channel.isConsumed(second.get())).isFalse();
    assertThat(process.guard.stopped()).hasSize(1);
  }

  @Test
  void it_is_stopped_no_more_when_it_consumes_anew() throws Exception {
    AtomicReference<String> second = new AtomicReference<>();
    Process process = stopped(second);
    it.queue.waiting.clear();

    process.guarded.basicCancel(second.get());
    assertThat(process.guard.stopped()).isEmpty();
    it.row("b").locked = false;
    it.queue.waiting.add(Copy.tracked("b", 1));
    process.channel.deliversTo(process.consume(OTHER));
    it.time.advance(Duration.ofMillis(5));

    assertThat(it.givenIds()).containsExactly("b");
  }

  @Test
  void its_consumer_hears_of_the_end_of_its_channel() {
    Process process = stopped(new AtomicReference<>());
    it.events.clear();

    process.channel.close();
    it.time.advance(Duration.ofSeconds(2));

    assertThat(it.events).containsExactly("consumer lost", "consumer lost");
    assertThat(process.guard.stopped()).isEmpty();
  }

  @Test
  void what_another_consumer_handles_is_asked_for_again() {
    for (boolean fails : new boolean[] {true, false}) {
      Process process = it.process();
      String first = process.consume(GuardedQueueScene.QUEUE);
      String second = process.consume(OTHER);
      String id = "fails " + fails;
      it.send(id);
      it.row(id).retries = 1; // none is left
      process.channel.deliversTo(first);
      it.time.advance(Duration.ofMillis(5));
      Given one = it.given(id);
      it.queue.waiting.add(Copy.tracked(id, 1));
      process.channel.deliversTo(second);
      it.time.advance(Duration.ofSeconds(30));
      assertThat(it.given).as("one at a time").last().isSameAs(one);
      assertThat(process.guard.stopped()).isEmpty();

      if (fails) {
        one.fail();
      } else {
        one.ack();
      }
      it.time.advance(Duration.ofMinutes(1));

      assertThat(process.guard.stopped()).hasSize(fails ? 0 : 1);
      assertThat(it.queue.has(id)).isEqualTo(!fails);
      if (fails) {
        it.given(id).ack();
        it.time.advance(Duration.ofSeconds(1));
        assertThat(it.row(id).state).isEqualTo(MessageState.SETTLED);
      }
    }
  }

  // Deferred, failed, tried again

  @Test
  void what_is_deferred_is_a_row_and_no_copy() {
    consuming();
    it.send("a");
    it.deliverAll();

    it.given("a").defer(Duration.ofHours(1));
    it.time.runAll();

    assertThat(it.row("a").state).isEqualTo(MessageState.PENDING);
    assertThat(it.row("a").nextAt).isEqualTo(it.time.clock().instant().plus(Duration.ofHours(1)));
    assertThat(it.told()).containsExactly("ack up to 1");
    assertThat(it.held).isEmpty();
    it.time.advance(Duration.ofHours(1));
    it.loads();
    it.deliverAll();
    assertThat(it.given("a").delivery.attempt()).isEqualTo(2);
    assertThat(it.given("a").delivery.properties().getHeaders())
        .containsEntry(Headers.ATTEMPTS, 1)
        .doesNotContainKey(Headers.ROUTE);
  }

  @Test
  void what_is_deferred_without_a_row_is_held_by_the_broker() {
    consuming();
    it.sendUntracked("u");
    it.deliverAll();

    it.given("u").defer(Duration.ofHours(1));
    it.time.runAll();
    assertThat(it.told()).isEmpty();
    it.confirmsHeld();
    it.time.runAll();
    assertThat(it.told()).containsExactly("ack up to 1");

    it.time.advance(Duration.ofHours(1));
    it.deliverAll();
    assertThat(it.given("u").delivery.attempt()).isEqualTo(2);
  }

  @Test
  void retries_are_counted_by_the_row_until_none_is_left() {
    consuming();
    it.send("a");
    it.deliverAll();

    it.given("a").fail();
    it.time.runAll();
    assertThat(it.row("a").retries).isEqualTo(1);
    assertThat(it.row("a").reason).startsWith("broken; retry 1 of 1 in 5s");
    it.time.advance(GuardedQueueScene.RETRY);
    it.loads();
    it.deliverAll();
    assertThat(it.given("a").delivery.retry(new Exception("again"))).isFalse();
    it.given("a").fail();
    it.time.runAll();

    assertThat(it.row("a").state).isEqualTo(MessageState.FAILED);
    assertThat(it.queue.deadLetters).extracting(Copy::id).containsExactly("a");
  }

  @Test
  void what_is_put_off_uses_up_no_retry() {
    consuming();
    it.send("a");
    it.deliverAll();
    it.given("a").defer(Duration.ofSeconds(1));
    it.time.advance(Duration.ofSeconds(1));
    it.loads();
    it.deliverAll();

    assertThat(it.given("a").delivery.retry(new Exception("first"))).isTrue();
    it.time.runAll();

    assertThat(it.row("a").postponed).isEqualTo(2);
    assertThat(it.row("a").retries).isEqualTo(1);
  }

  @Test
  void what_its_consumer_gives_back_is_released_and_then_in_its_queue() {
    consuming();
    it.send("a");
    it.deliverAll();
    it.store.away = true;

    it.given("a").requeue();
    it.time.advance(Duration.ofSeconds(1));
    assertThat(it.told()).isEmpty();
    it.store.away = false;
    it.time.advance(Duration.ofSeconds(5));

    assertThat(it.row("a").token).isNull();
    assertThat(it.told()).containsExactly("requeue 1");
  }

  @Test
  void what_is_parked_is_told_and_acknowledged() {
    consuming();
    it.send("a");
    it.deliverAll();
    List<Boolean> told = new ArrayList<>();

    it.given("a").delivery.park("no stock", told::add);
    it.time.runAll();

    assertThat(told).containsExactly(true);
    assertThat(it.row("a").state).isEqualTo(MessageState.PARKED);
    assertThat(it.told()).containsExactly("ack up to 1");
  }

  @Test
  void what_was_taken_over_meanwhile_is_not_dead_lettered_but_looked_at_again() {
    consuming();
    it.send("a");
    it.row("a").retries = 1;
    it.deliverAll();
    it.row("a").token = "another";

    it.given("a").reject();
    it.time.runAll();

    assertThat(it.queue.deadLetters).isEmpty();
    assertThat(it.told()).isNotEmpty().doesNotContain("reject 1");
  }

  @Test
  void what_is_deferred_and_was_taken_over_is_looked_at_again() {
    consuming();
    it.send("a");
    it.deliverAll();
    it.row("a").token = "another";

    it.given("a").defer(Duration.ofSeconds(1));
    it.time.runAll();

    assertThat(it.row("a").nextAt).isNull();
    assertThat(it.told()).containsExactly("requeue 1");
  }

  @Test
  void what_ends_while_its_row_is_locked_ends_when_it_is_free() {
    consuming();
    it.send("a");
    it.deliverAll();
    it.row("a").locked = true;
    it.given("a").ack();
    it.time.advance(Duration.ofSeconds(1));
    assertThat(it.told()).isEmpty();

    it.row("a").locked = false;
    it.time.advance(Duration.ofSeconds(2));

    assertThat(it.row("a").state).isEqualTo(MessageState.SETTLED);
    assertThat(it.told()).containsExactly("ack up to 1");
  }

  @Test
  void a_consumer_that_throws_gives_its_message_back() throws Exception {
    Process process = it.process();
    process.guarded.basicConsume(
        GuardedQueueScene.QUEUE,
        false,
        (tag, delivery) -> {
          throw new IOException("no more");
        },
        tag -> {});
    it.sendUntracked("u");
    it.send("a");
    it.row("a").retries = 1; // none is left
    it.deliverAll();
    it.confirmsHeld();
    it.time.runAll();

    assertThat(it.row("a").state).isEqualTo(MessageState.FAILED);
    assertThat(process.channel.unacked).isEmpty();
  }

  @Test
  void a_tracked_message_is_refused_where_the_broker_would_forget_it() throws Exception {
    Process process = it.process();
    process.guarded.basicConsume(GuardedQueueScene.QUEUE, true, (tag, delivery) -> {}, tag -> {});
    it.send("a");
    it.row("a").retries = 1;
    it.sendUntracked("u");
    it.answered.add("u");
    it.deliverAll();
    it.time.advance(Duration.ofSeconds(1));

    assertThat(it.row("a").state).isEqualTo(MessageState.FAILED);
    assertThat(it.queue.deadLetters).extracting(Copy::id).containsExactly("a");
    assertThat(process.channel.unacked).isEmpty();
  }

  // The consumer's own transaction

  private Process inTransactions(AtomicReference<Consumer<Boolean>> end) {
    Process process = it.process();
    process.open(
        GuardedQueueScene.REPORTING.withTransaction(
            then -> {
              end.set(then);
              return true;
            }));
    process.consume();
    return process;
  }

  @Test
  void what_is_acknowledged_in_a_transaction_is_settled_when_that_has_committed() {
    AtomicReference<Consumer<Boolean>> end = new AtomicReference<>();
    inTransactions(end);
    it.send("a");
    it.deliverAll();
    Given one = it.given("a");
    one.start();
    one.ack();
    it.time.runAll();
    assertThat(it.row("a").state).isEqualTo(MessageState.HELD);

    end.get().accept(true);
    it.time.runAll();

    assertThat(it.row("a").state).isEqualTo(MessageState.SETTLED);
  }

  @Test
  void what_did_not_commit_waits_for_its_handler_to_return_and_goes_back() {
    AtomicReference<Consumer<Boolean>> end = new AtomicReference<>();
    inTransactions(end);
    it.send("a");
    it.deliverAll();
    Given one = it.given("a");
    one.start();
    one.ack();
    end.get().accept(false);
    it.time.runAll();
    assertThat(it.told()).isEmpty();

    one.returned();
    it.time.runAll();

    assertThat(it.told()).containsExactly("requeue 1");
    assertThat(it.row("a").token).isNull();
  }

  @Test
  void what_did_not_commit_and_a_recoverer_took_is_acknowledged_as_failed() {
    AtomicReference<Consumer<Boolean>> end = new AtomicReference<>();
    inTransactions(end);
    it.send("a");
    it.deliverAll();
    Given one = it.given("a");
    one.start();
    one.ack();
    end.get().accept(false);
    one.delivery.failed(new Exception("broken"));
    one.returned();
    it.time.runAll();

    assertThat(it.row("a").state).isEqualTo(MessageState.FAILED);
    assertThat(it.told()).containsExactly("ack up to 1");
  }

  // Settled in the handler's transaction

  /** With a handler that has settled it in a transaction that is not over. */
  private Given settled(String id, ScriptedStore.Transaction in) {
    consuming();
    it.send(id);
    it.deliverAll();
    Given one = it.given(id);
    one.start();
    one.delivery.settleIn(in);
    return one;
  }

  @Test
  void what_its_handler_settled_is_acknowledged_when_that_has_committed() {
    ScriptedStore.Transaction transaction = it.store.new Transaction();
    Given one = settled("a", transaction);
    transaction.commit();
    one.ack();
    it.time.advance(Duration.ofSeconds(1));

    assertThat(it.told()).containsExactly("ack up to 1");
    assertThat(it.store.calls).containsExactly("begin [a]", "end [SETTLED_IN a]");
    assertThat(it.events).containsExactly("Settled");
  }

  @Test
  void what_its_handler_settled_waits_for_the_end_of_its_transaction() {
    ScriptedStore.Transaction transaction = it.store.new Transaction();
    Given one = settled("a", transaction);
    one.ack();
    it.time.advance(Duration.ofSeconds(20));
    assertThat(it.told()).isEmpty();

    transaction.commit();
    it.time.advance(Duration.ofSeconds(6));

    assertThat(it.told()).containsExactly("ack up to 1");
    assertThat(it.events).containsExactly("Settled");
  }

  @Test
  void what_its_handler_settled_and_did_not_commit_is_given_back() {
    ScriptedStore.Transaction transaction = it.store.new Transaction();
    Given one = settled("a", transaction);
    transaction.rollBack();
    one.ack();
    it.time.advance(Duration.ofSeconds(1));

    assertThat(it.told()).containsExactly("requeue 1");
    assertThat(it.row("a").state).isEqualTo(MessageState.HELD);
    assertThat(it.row("a").token).isNull();
    assertThat(it.events).isEmpty();
    it.deliverAll();
    assertThat(it.givenIds()).containsExactly("a", "a");
  }

  @Test
  void what_was_committed_is_no_failure_though_its_handler_threw() {
    ScriptedStore.Transaction transaction = it.store.new Transaction();
    Given one = settled("a", transaction);
    transaction.commit();
    one.fail(); // the answer to its commit was lost
    it.time.advance(Duration.ofSeconds(1));

    assertThat(it.told()).containsExactly("ack up to 1");
    assertThat(it.events).containsExactly("Settled");
  }

  @Test
  void what_was_not_committed_has_failed_when_its_handler_threw() {
    ScriptedStore.Transaction transaction = it.store.new Transaction();
    Given one = settled("a", transaction);
    it.row("a").retries = 1;
    transaction.rollBack();
    one.fail();
    it.time.advance(Duration.ofSeconds(1));

    assertThat(it.events).contains("Failed").doesNotContain("Settled");
    assertThat(it.row("a").state).isEqualTo(MessageState.PENDING);
  }

  @Test
  void a_handler_that_was_overtaken_is_told_before_it_commits() {
    consuming();
    it.send("a");
    it.deliverAll();
    Given one = it.given("a");
    it.row("a").token = "another's";
    it.row("a").leaseUntil = it.time.clock().instant().plus(GuardedQueueScene.LEASE);

    assertThatThrownBy(() -> one.delivery.settleIn(it.store.new Transaction()))
        .isInstanceOf(OvertakenException.class)
        .hasMessageContainingAll("route/a", "taken over", "roll back");
    one.ack();
    it.time.advance(Duration.ofSeconds(1));

    assertThat(it.told()).containsExactly("requeue 1");
  }

  @Test
  void what_was_undone_on_purpose_is_settled_by_its_acknowledgement() {
    ScriptedStore.Transaction transaction = it.store.new Transaction();
    Given one = settled("a", transaction);
    transaction.rollBack();
    one.delivery.settleUndone();
    one.ack();
    it.time.advance(Duration.ofSeconds(1));

    assertThat(it.row("a").state).isEqualTo(MessageState.SETTLED);
    assertThat(it.told()).containsExactly("ack up to 1");
  }

  @Test
  void what_has_no_row_is_settled_in_no_transaction() {
    consuming();
    it.sendUntracked("u");
    it.deliverAll();
    it.given("u").delivery.settleIn("no transaction");
    it.given("u").ack();
    it.time.runAll();

    assertThat(it.told()).containsExactly("ack up to 1");
  }

  // Connections

  @Test
  void what_was_begun_and_not_handled_is_released_when_the_connection_is_lost() {
    Process process = consuming();
    it.send("a");
    it.deliverAll();

    process.channel.losesConnection();
    it.time.runAll();

    assertThat(it.given).hasSize(1);
    assertThat(it.given.get(0).isOpen()).isFalse();
    assertThat(it.store.calls).endsWith("end [REQUEUE a]");
  }

  @Test
  void what_waits_behind_a_handler_is_released_when_the_connection_is_lost() throws Exception {
    Process process = it.process();
    List<String> meanwhile = new ArrayList<>();
    process.guarded.basicConsume(
        GuardedQueueScene.QUEUE,
        false,
        (tag, delivery) -> {
          process.channel.losesConnection();
          it.time.advance(Duration.ofSeconds(1));
          meanwhile.addAll(it.store.calls);
        },
        tag -> {});
    it.send("a", "b");
    process.delivers();
    process.delivers();
    it.time.advance(Duration.ofSeconds(2));

    assertThat(meanwhile).endsWith("end [REQUEUE a, REQUEUE b]");
  }

  @Test
  void what_is_handled_when_the_connection_is_lost_is_settled_and_its_copy_skipped() {
    Process process = consuming();
    it.send("a");
    it.deliverAll();
    Given one = it.given("a");
    one.start();
    process.channel.losesConnection();
    it.time.runAll();

    one.ack();
    one.returned();
    it.time.runAll();
    process.open(GuardedQueueScene.REPORTING);
    process.consume();
    it.deliverAll();

    assertThat(it.row("a").state).isEqualTo(MessageState.SETTLED);
    assertThat(it.events).contains("Settled", "skipped a SETTLED");
    assertThat(it.given).hasSize(1);
  }

  @Test
  void what_a_handler_hangs_on_comes_again_at_last() throws Exception {
    for (boolean cancelled : new boolean[] {false, true}) {
      Process process = consuming();
      String id = "cancelled " + cancelled;
      it.send(id);
      it.deliverAll();
      it.given(id).start();
      if (cancelled) {
        process.cancelledByBroker();
      } else {
        process.channel.losesConnection();
      }
      it.time.advance(GuardedQueueScene.LEASE.multipliedBy(10).minusSeconds(1));
      it.loads();
      assertThat(it.row(id).leaseUntil).isAfter(it.time.clock().instant());

      it.time.advance(GuardedQueueScene.LEASE.plusSeconds(1));
      it.loads();
      Process other = consuming();
      it.deliverAll();

      assertThat(it.given.get(it.given.size() - 1).process).isSameAs(other);
      other.cancel();
    }
  }

  @Test
  void what_fails_after_its_connection_was_lost_comes_again_though_its_copy_was_dropped() {
    Process process = consuming();
    Process other = it.process();
    it.send("a");
    it.row("a").retries = 1;
    it.deliverAll();
    Given one = it.given("a");
    one.start();
    process.channel.losesConnection();
    other.consume();
    it.deliverAll();
    assertThat(it.events).contains("skipped a BUSY");

    one.reject();
    it.time.runAll();
    it.loads();
    it.deliverAll();

    assertThat(it.given("a").process).isSameAs(other);
  }

  @Test
  void what_is_released_after_its_other_copy_was_dropped_is_sent_again() {
    Process process = consuming();
    Process other = it.process();
    it.send("a");
    it.deliverAll();
    it.time.busy("pocketwatch-guard-end");
    it.given("a").requeue();
    process.close();
    other.consume();
    it.deliverAll();
    assertThat(it.events).contains("skipped a BUSY");

    it.time.idle("pocketwatch-guard-end");
    it.time.runAll();
    assertThat(it.row("a").state).isEqualTo(MessageState.PENDING);
    it.loads();
    it.deliverAll();

    assertThat(it.given("a").process).isSameAs(other);
  }

  @Test
  void a_begin_that_is_answered_when_the_connection_is_gone_is_released() {
    Process process = consuming();
    it.send("a");
    it.time.busy("pocketwatch-guard-begin");
    process.delivers();
    it.time.runAll();
    process.channel.losesConnection();
    it.time.runAll();

    it.time.idle("pocketwatch-guard-begin");
    it.time.runAll();

    assertThat(it.given).isEmpty();
    assertThat(it.store.calls).endsWith("end [REQUEUE a]");
  }

  @Test
  void a_tag_that_means_several_means_none_of_a_lost_connection() {
    Process process = consuming();
    it.send("a");
    it.deliverAll();
    it.given("a").start();
    process.channel.recovers();
    it.time.runAll();
    it.send("b");
    it.deliverAll();

    GuardedQueueScene.run(() -> process.guarded.basicAck(it.given("b").tag, true));
    it.time.advance(Duration.ofSeconds(1));

    assertThat(it.row("b").state).isEqualTo(MessageState.SETTLED);
    assertThat(it.row("a").state).isEqualTo(MessageState.HELD);
    it.given("a").ack();
    it.time.advance(Duration.ofSeconds(1));
    assertThat(it.row("a").state).isEqualTo(MessageState.SETTLED);
  }

  @Test
  void what_was_released_is_not_begun_by_a_handler_that_has_it_still() {
    Process process = consuming();
    it.send("a", "b");
    it.deliverAll();
    Given begun = it.given("a");
    Given other = it.given("b");
    assertThat(begun.start()).isTrue();

    process.channel.losesConnection();
    it.time.runAll();

    assertThat(it.store.calls).endsWith("end [REQUEUE b]");
    assertThat(other.start()).isFalse();
    assertThat(begun.start()).isTrue();
  }

  @Test
  void what_a_plain_consumer_was_handed_is_not_handled_elsewhere_when_its_connection_is_lost() {
    Process process = it.process();
    process.open(ChannelUse.plain());
    process.consume();
    it.send("a");
    it.deliverAll();
    process.channel.losesConnection();
    process.open(ChannelUse.plain());
    process.consume();

    it.deliverAll();
    it.time.advance(GuardedQueueScene.LEASE.multipliedBy(3));
    it.loads();
    it.deliverAll();

    assertThat(it.given).as("once, while the first still works").hasSize(1);
    it.given("a").ack();
    it.time.advance(Duration.ofSeconds(1));
    assertThat(it.row("a").state).isEqualTo(MessageState.SETTLED);
  }

  @Test
  void a_plain_consumer_that_never_answers_after_its_connection_keeps_its_message_ten_leases() {
    Process process = it.process();
    process.open(ChannelUse.plain());
    process.consume();
    it.send("a");
    it.deliverAll();
    process.channel.losesConnection();

    it.time.advance(GuardedQueueScene.LEASE.multipliedBy(9));
    assertThat(it.row("a").leaseUntil).isAfter(it.time.clock().instant());
    it.time.advance(GuardedQueueScene.LEASE.multipliedBy(2));

    assertThat(it.row("a").leaseUntil).isBefore(it.time.clock().instant());
  }

  @Test
  void leases_are_renewed_until_the_end_is_recorded() {
    consuming();
    it.send("a");
    it.deliverAll();
    it.time.advance(GuardedQueueScene.LEASE.multipliedBy(3));
    assertThat(it.row("a").leaseUntil).isAfter(it.time.clock().instant());

    it.given("a").ack();
    it.time.advance(Duration.ofSeconds(1));
    it.store.calls.clear();
    it.time.advance(GuardedQueueScene.LEASE);

    assertThat(it.store.calls).isEmpty();
  }

  @Test
  void no_lease_is_renewed_for_whom_nobody_answers_any_more() {
    Process process = consuming();
    it.send("a");
    it.deliverAll();
    Given one = it.given("a");
    one.start();
    one.returned(); // it will answer on another thread
    process.channel.losesConnection();
    it.time.runAll();

    it.time.advance(GuardedQueueScene.LEASE.multipliedBy(2));

    assertThat(it.row("a").leaseUntil).isBefore(it.time.clock().instant());
    it.loads();
    process.open(GuardedQueueScene.REPORTING);
    process.consume();
    it.deliverAll();
    assertThat(it.given).hasSize(2);
  }

  // Look-ahead

  @Test
  void no_more_is_begun_than_can_be_ended_and_the_next_one_when_one_has_ended() {
    consuming();
    for (int i = 0; i < 12; i++) {
      it.send("m" + i);
    }
    it.deliverAll();
    assertThat(it.given).hasSize(8);

    it.given("m0").ack();
    it.time.advance(Duration.ofMillis(3));

    assertThat(it.given).hasSize(10); // for it and for its rate
  }

  @Test
  void what_one_consumer_gives_back_makes_room_for_the_other() throws Exception {
    Process process = consuming();
    process.guarded.basicConsume(
        GuardedQueueScene.QUEUE, false, "other", (tag, delivery) -> {}, tag -> {});
    for (int i = 0; i < 8; i++) {
      it.send("m" + i);
      it.row("m" + i).locked = true;
    }
    it.send("other's");
    for (int i = 0; i < 8; i++) {
      process.delivers();
    }
    process.channel.deliversTo("other");
    it.time.advance(Duration.ofSeconds(1));
    assertThat(it.row("other's").token).isNull();

    process.cancel();
    it.time.advance(Duration.ofMillis(1_005));

    assertThat(it.queue.waiting).hasSize(8);
    assertThat(it.row("other's").token).isNotNull();
  }

  // The store is away

  @Test
  void while_the_store_is_away_messages_wait_and_are_begun_with_the_same_token() {
    consuming();
    it.send("a");
    it.store.losesAnswers = true;
    it.deliverAll();
    it.store.losesAnswers = false;

    it.time.advance(Duration.ofSeconds(1));

    assertThat(it.givenIds()).containsExactly("a");
    it.given("a").ack();
    it.time.runAll();
    assertThat(it.row("a").state).isEqualTo(MessageState.SETTLED);
  }

  /** Each gets a message, and they stop to consume. */
  private void theStoreIsAwayForTooLong(Process... consuming) {
    it.store.away = true;
    for (Process each : consuming) {
      assertThat(each.delivers()).isTrue();
    }
    it.time.advance(GuardedQueueScene.PATIENCE.plus(Duration.ofSeconds(10)));
  }

  @Test
  void beyond_the_patience_all_channels_stop_before_any_gives_back() {
    Process one = consuming();
    Process other = consuming();
    it.send("a", "b");
    theStoreIsAwayForTooLong(one, other);

    assertThat(one.channel.isConsumed()).isFalse();
    assertThat(one.channel.unacked).isEmpty();
    it.store.away = false;
    it.time.advance(Duration.ofSeconds(30));
    assertThat(one.channel.isConsumed()).isTrue();
    it.deliverAll();
    it.time.advance(GuardedQueueScene.LEASE);
    it.loads();
    it.deliverAll();
    assertThat(it.givenIds()).contains("a", "b");
    assertThat(other.channel.isConsumed()).isTrue();
  }

  @Test
  void who_cannot_consume_when_the_store_answers_is_asked_once_more() {
    Process one = consuming();
    it.send("a");
    theStoreIsAwayForTooLong(one);
    one.channel.refusesConsumers = true;
    it.store.away = false;
    it.time.advance(Duration.ofSeconds(30));
    assertThat(one.channel.isConsumed()).isFalse();

    one.channel.refusesConsumers = false;
    it.time.advance(Duration.ofSeconds(30));
    assertThat(one.channel.isConsumed()).isTrue();
  }

  @Test
  void a_paused_consumer_hears_that_its_channel_is_lost_and_holds_up_no_other() {
    Process pooled = consuming();
    pooled.channel.becomesPooled();
    Process other = consuming();
    it.send("a", "b");
    theStoreIsAwayForTooLong(pooled, other);
    assertThat(pooled.channel.isConsumed()).isFalse();
    it.events.clear();

    pooled.channel.losesConnection();
    it.time.runAll();
    assertThat(it.events).contains("consumer lost");
    it.store.away = false;
    it.time.advance(Duration.ofSeconds(30));

    assertThat(pooled.channel.timesConsumed).isEqualTo(1);
    assertThat(pooled.channel.timesReopened).isZero();
    assertThat(other.channel.isConsumed()).isTrue();
  }

  @Test
  void a_pooled_channel_that_is_closed_untold_is_not_consumed_again() {
    Process pooled = consuming();
    pooled.channel.becomesPooled();
    it.send("a");
    theStoreIsAwayForTooLong(pooled);

    Runnable tell = pooled.channel.diesUntold();
    it.store.away = false;
    it.time.advance(Duration.ofSeconds(30));
    assertThat(pooled.channel.timesReopened).isZero();
    it.events.clear();
    tell.run();
    it.time.runAll();

    assertThat(it.events).contains("consumer lost");
  }

  @Test
  void a_consumer_that_the_broker_cancelled_is_not_consumed_again() throws Exception {
    Process process = consuming();
    process.cancelledByBroker();
    process.consume();
    it.send("a");
    theStoreIsAwayForTooLong(process);
    it.store.away = false;
    it.time.advance(Duration.ofSeconds(30));

    assertThat(process.channel.timesConsumed).as("twice, and again after the pause").isEqualTo(3);
  }

  @Test
  void endings_wait_for_the_store() {
    consuming();
    it.send("a");
    it.deliverAll();
    it.store.away = true;
    it.given("a").ack();
    it.time.advance(Duration.ofSeconds(20));
    assertThat(it.told()).isEmpty();

    it.store.away = false;
    it.time.advance(Duration.ofSeconds(6));

    assertThat(it.row("a").state).isEqualTo(MessageState.SETTLED);
    assertThat(it.told()).containsExactly("ack up to 1");
  }

  @Test
  void a_settle_whose_answer_was_lost_is_settled() {
    consuming();
    it.send("a");
    it.deliverAll();
    it.store.losesAnswers = true;
    it.given("a").ack();
    it.time.runAll();
    it.store.losesAnswers = false;
    it.time.advance(Duration.ofSeconds(1));

    assertThat(it.events).contains("Settled").doesNotContain("Overtaken");
    assertThat(it.told()).containsExactly("ack up to 1");
  }

  // Cancelled, closed

  @Test
  void a_cancelled_consumer_gives_back_after_a_second_what_it_has_not_taken() {
    Process process = consuming();
    it.send("a");
    it.row("a").locked = true;
    it.deliverAll();
    process.cancel();
    it.time.advance(Duration.ofMillis(999));
    assertThat(it.told()).isEmpty();

    it.time.advance(Duration.ofMillis(1));

    assertThat(it.told()).containsExactly("requeue 1");
  }

  @Test
  void what_is_given_back_is_free_before_another_gets_it() {
    Process process = consuming();
    it.send("a");
    it.time.busy("pocketwatch-guard-begin");
    process.delivers();
    it.time.runAll();
    process.cancel();
    it.time.advance(Duration.ofSeconds(2));
    assertThat(it.told()).isEmpty(); // it may be begun any moment

    it.time.idle("pocketwatch-guard-begin");
    it.time.busy("pocketwatch-guard-end");
    it.time.runAll();
    assertThat(it.told()).isEmpty();
    it.time.idle("pocketwatch-guard-end");
    it.time.runAll();

    assertThat(it.told()).containsExactly("requeue 1");
    assertThat(it.row("a").token).isNull();
    assertThat(it.given).isEmpty();
  }

  @Test
  void what_waits_behind_a_handler_is_released_and_goes_back_when_its_consumer_is_cancelled()
      throws Exception {
    Process process = it.process();
    process.guarded.basicConsume(
        GuardedQueueScene.QUEUE,
        false,
        "slow",
        (tag, delivery) -> {
          process.guarded.basicCancel("slow");
          it.time.advance(Duration.ofSeconds(2));
          process.guarded.basicAck(delivery.getEnvelope().getDeliveryTag(), false);
        },
        tag -> {});
    it.send("a", "b");
    it.deliverAll();
    it.time.advance(Duration.ofSeconds(1));

    assertThat(it.row("a").state).isEqualTo(MessageState.SETTLED);
    assertThat(it.row("b").token).isNull();
    assertThat(it.store.calls).contains("end [REQUEUE b]");
    assertThat(it.told()).containsExactly("requeue 2", "ack up to 1");
  }

  @Test
  void a_close_waits_for_what_was_said_and_leaves_what_is_handled() throws Exception {
    Process process = consuming();
    it.send("said", "handled");
    it.deliverAll();
    it.given("handled").start();
    it.given("said").ack();

    process.guarded.close();

    assertThat(it.row("said").state).isEqualTo(MessageState.SETTLED);
    assertThat(it.told()).containsExactly("ack up to 1");
    assertThat(it.row("handled").token).isNotNull();
  }

  @Test
  void what_is_said_after_the_close_and_not_recorded_goes_back() {
    Process process = consuming();
    it.send("a", "b");
    it.deliverAll();
    it.store.away = true;
    it.given("a").ack();
    process.guard.close();
    it.time.runAll();
    assertThat(it.told()).containsExactly("requeue 1");
    process.guard.close();

    it.given("b").ack();
    it.time.runAll();

    assertThat(it.told()).containsExactly("requeue 1", "requeue 2");
  }

  @Test
  void what_comes_when_it_is_closed_goes_back() throws Exception {
    Process process = consuming();
    it.time.busy("pocketwatch-guard");
    it.send("a");
    process.delivers();
    it.time.cannotStart("pocketwatch-guard", false);
    process.guarded.abort();
    it.time.runAll();

    assertThat(it.given).isEmpty();
    assertThat(it.store.calls).doesNotContain("begin [a]");
  }

  @Test
  void others_have_a_pooled_channel_when_it_is_closed_and_all_is_answered_for() {
    Process process = consuming();
    it.send("a");
    it.deliverAll();
    process.guard.close();
    assertThat(process.channel.isListenedTo()).as("while a message is handled").isTrue();

    it.given("a").ack();
    it.time.runAll();

    assertThat(process.channel.isListenedTo()).isFalse();
  }

  @Test
  void a_channel_that_is_closed_untold_is_left_alone() {
    Process process = consuming();
    process.channel.becomesPooled();
    it.send("a");
    it.deliverAll();
    it.given("a").ack();
    Runnable tell = process.channel.diesUntold();
    process.guard.close();
    tell.run();
    it.time.runAll();

    assertThat(it.row("a").state).isEqualTo(MessageState.SETTLED);
    assertThat(process.channel.timesReopened).as("for the acknowledgement").isEqualTo(1);
  }

  // What a guarded channel has not

  @Test
  void calls_that_a_guarded_channel_cannot_take_are_refused_and_change_nothing() {
    Process process = consuming();
    it.send("a");
    it.deliverAll();
    GuardedChannel guarded = process.guarded;

    refused(guarded::txSelect, "txSelect", "the transaction of your database");
    refused(guarded::txCommit, "txCommit", "the transaction of your database");
    refused(guarded::txRollback, "txRollback", "the transaction of your database");
    refused(() -> guarded.basicGet(GuardedQueueScene.QUEUE, false), "basicGet", "prefetch of 1");
    refused(guarded::basicRecover, "basicRecover", "basicNack");
    refused(() -> guarded.basicRecover(true), "basicRecover", "basicNack");

    it.given("a").ack();
    it.time.runAll();
    assertThat(it.row("a").state).isEqualTo(MessageState.SETTLED);
    assertThat(it.told()).containsExactly("ack up to 1");
  }

  private static void refused(ThrowingCallable call, String... words) {
    assertThatThrownBy(call)
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContainingAll(words);
  }
}
