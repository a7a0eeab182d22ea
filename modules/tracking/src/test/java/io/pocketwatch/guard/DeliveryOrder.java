// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.guard.FakeQueue.Copy;
import io.pocketwatch.guard.GuardedQueueScene.Given;
import io.pocketwatch.guard.GuardedQueueScene.Held;
import io.pocketwatch.guard.GuardedQueueScene.Process;
import io.pocketwatch.guard.ScriptedStore.Row;
import io.pocketwatch.guard.ScriptedStore.Transaction;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

/**
 * One order of events, and what must hold after it. Each message is handled to its end by whoever
 * comes next: none is acknowledged and forgotten, none is with nobody. Nothing is held after the
 * close: no message of the broker's, no lease and no thread.
 */
final class DeliveryOrder {
  /** One line of an order. */
  record Event(DeliveryStep step, int which) {
    @Override
    public String toString() {
      return step.words + " (" + which + ")";
    }
  }

  final GuardedQueueScene scene;
  private final List<Event> events;
  private final boolean plain;
  private final boolean pooled;
  private final Set<String> untracked = new HashSet<>();
  private int sent;

  /**
   * @param seed says which thread runs first where several could, whether consumers say when they
   *     begin, and whether channels are like those of Spring's pool
   */
  DeliveryOrder(long seed, List<Event> events) {
    this.events = events;
    this.scene = new GuardedQueueScene(new Random(seed));
    this.plain = seed % 4 == 0;
    this.pooled = seed % 3 == 0;
    for (int i = 0; i < 2; i++) {
      open(scene.process());
    }
  }

  /**
   * Lets it all happen.
   *
   * @return what was told of it
   */
  List<String> run() {
    for (Event each : events) {
      each.step.action.accept(this, each.which);
      assertThat(scene.broken).as("after " + each).isEmpty();
    }
    calm();
    scene.processes.forEach(this::end);
    assertThat(scene.time.threadsLeft()).as("threads left").isEmpty();
    assertThat(scene.broken).isEmpty();
    scene.store.calls.clear();
    scene.time.advance(GuardedQueueScene.LEASE.multipliedBy(2));
    assertThat(scene.store.calls).as("asked after the end").isEmpty();
    whoComesNextHandlesAll();
    return scene.events;
  }

  /** Whatever was wrong is over, and each consumer answers for what it has. */
  private void calm() {
    scene.store.away = false;
    scene.store.losesAnswers = false;
    scene.store.rows.values().forEach(each -> each.locked = false);
    scene.time.idle("pocketwatch-guard-begin");
    scene.busyWithEnds(false);
    for (int i = 0; i < 20; i++) {
      scene.confirmsHeld();
      for (Given one : List.copyOf(scene.given)) {
        if (one.isOpen()) {
          one.ack();
          one.returned();
        }
      }
      scene.time.advance(Duration.ofSeconds(2));
    }
  }

  private void end(Process process) {
    if (!process.closed) {
      process.closed = true;
      process.guard.close();
      scene.time.advance(Duration.ofSeconds(2));
      assertThat(process.channel.unacked).as("messages that are not answered for").isEmpty();
      process.channel.close();
    }
  }

  /** A process without faults; a loader brings what is due, or what a dead one had begun. */
  private void whoComesNextHandlesAll() {
    Process last = scene.process();
    last.consume();
    Instant end = scene.time.clock().instant().plus(Duration.ofMinutes(5));
    while (scene.time.clock().instant().isBefore(end)) {
      scene.loads();
      scene.deliverAll();
      scene.confirmsHeld();
      for (Given one : List.copyOf(scene.given)) {
        if (one.process == last && one.isOpen()) {
          one.ack();
        }
      }
      scene.time.advance(Duration.ofSeconds(5));
    }
    assertThat(scene.broken).isEmpty();
    for (Row row : scene.store.rows.values()) {
      if (row.state != MessageState.FAILED) {
        assertThat(row.isOver())
            .as("%s is %s, and nobody has it: %s", row.key.id(), row.state, row)
            .isTrue();
      }
    }
    assertThat(scene.queue.waiting).as("left in the queue").isEmpty();
  }

  // What steps do

  void send() {
    scene.send("m" + ++sent);
  }

  void sendUntracked() {
    String id = "u" + ++sent;
    untracked.add(id);
    scene.sendUntracked(id);
  }

  void sendEarly(int which) {
    Instant due = scene.time.clock().instant().plusSeconds(2 + which);
    scene.queue.waiting.add(Copy.untracked("e" + ++sent).due(due));
  }

  void sendUnknown() {
    scene.queue.waiting.add(Copy.tracked("x" + ++sent, 1));
  }

  void sendAgain(int which) {
    row(which, row -> scene.queue.waiting.add(Copy.tracked(row.key.id(), row.generation)));
  }

  Process process(int which) {
    return scene.processes.get(which % scene.processes.size());
  }

  void deliver(int which) {
    if (!process(which).delivers()) {
      process(which + 1).delivers();
    }
  }

  private void open(Process process) {
    process.open(plain ? ChannelUse.plain() : GuardedQueueScene.REPORTING);
    if (pooled) {
      process.channel.becomesPooled();
    }
    process.consume();
  }

  /** Of those that a consumer has not answered for yet. */
  void given(int which, Consumer<Given> how) {
    List<Given> open = scene.given.stream().filter(each -> each.said == null).toList();
    if (!open.isEmpty()) {
      how.accept(open.get(which % open.size()));
    }
  }

  /** Which commits, or does not; the consumer acknowledges before that, or after. */
  void settleIn(int which) {
    given(
        which,
        one -> {
          Transaction transaction = scene.store.new Transaction();
          Row row = scene.store.rows.get(one.delivery.handling().map(Handling::key).orElse(null));
          if (scene.store.away || row == null || row.locked) {
            return; // it would wait
          }
          try {
            one.delivery.settleIn(transaction);
          } catch (OvertakenException e) {
            one.requeue();
            return;
          }
          if (which % 3 == 0) {
            one.ack();
          }
          if (which % 4 == 0) {
            transaction.rollBack();
          } else {
            transaction.commit();
          }
          one.ack();
        });
  }

  void answerOnceMore(int which) {
    List<Given> all = scene.given;
    if (!all.isEmpty()) {
      all.get(which % all.size()).ack();
    }
  }

  void row(int which, Consumer<Row> how) {
    List<Row> all = new ArrayList<>(scene.store.rows.values());
    if (!all.isEmpty()) {
      how.accept(all.get(which % all.size()));
    }
  }

  void held(int which, Consumer<Held> how) {
    List<Held> open = scene.held.stream().filter(each -> !each.answer().isDone()).toList();
    if (!open.isEmpty()) {
      how.accept(open.get(which % open.size()));
    }
  }

  void cancelMessage(int which) {
    row(
        which,
        row -> {
          if (DeliveryStep.canChange(row.state) && row.token == null) {
            row.state = MessageState.CANCELLED;
          }
        });
  }

  void moveMessage(int which) {
    row(
        which,
        row -> {
          if (DeliveryStep.canChange(row.state) && row.token == null) {
            row.generation++;
            row.state = MessageState.PENDING;
            row.nextAt = scene.time.clock().instant().plusSeconds(which);
          }
        });
  }

  void lose(int which) {
    process(which).channel.losesConnection();
  }

  void recover(int which) {
    if (process(which).channel.isOpen()) {
      process(which).channel.recovers();
    }
  }

  void connect(int which) {
    Process process = process(which);
    if (!process.closed && !process.channel.isOpen()) {
      open(process);
    }
  }

  void consume(int which) {
    Process process = process(which);
    if (!process.closed && process.channel.isOpen() && !process.isConsuming()) {
      process.consume();
    }
  }

  void cancel(int which) {
    process(which).cancel();
  }

  void cancelByBroker(int which) {
    try {
      process(which).cancelledByBroker();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  void closeChannel(int which) {
    Process process = process(which);
    if (!process.closed && process.channel.isOpen()) {
      GuardedQueueScene.run(process.guarded::abort);
    }
  }

  void close(int which) {
    if (scene.processes.stream().filter(each -> !each.closed).count() > 1) {
      process(which).close();
    }
  }
}
