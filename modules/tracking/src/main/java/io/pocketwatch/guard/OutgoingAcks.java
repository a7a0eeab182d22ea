// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.AMQP.Tx;
import com.rabbitmq.client.Channel;
import io.pocketwatch.guard.Arrival.Stage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the broker is told of a channel's messages, in few frames. For the channel's events. */
final class OutgoingAcks {
  private static final Logger LOG = LoggerFactory.getLogger(OutgoingAcks.class);
  private static final Set<Stage> TO_BE_TOLD =
      EnumSet.of(Stage.ENDING, Stage.RETURNING, Stage.OVER);

  /** Their consumer commits, or rolls back. */
  private static final Set<Stage> WITH_CONSUMER =
      EnumSet.of(Stage.READY, Stage.HANDLED, Stage.ENDING);

  private final Channel channel;
  private final SerialExecutor events;

  /** Is told whenever nothing is open and nothing uncommitted. */
  private final Runnable owesNothing;

  /** What the broker is not answered for yet, by its tags. */
  private final NavigableMap<Long, Arrival> open = new TreeMap<>();

  /** What is being recorded, also of connections that are gone: somebody may wait for it. */
  private final Set<Arrival> ending = ConcurrentHashMap.newKeySet();

  private final List<Arrival> acknowledged = new ArrayList<>();

  /** Written in a transaction of the channel: a rollback of its consumer's must not undo that. */
  private final List<Answer> uncommitted = new ArrayList<>();

  /** Whether any of that is committed by nobody, unless a consumer has something else to commit. */
  private boolean skipped;

  /** Whether something was sent in the transaction; guarded by this. */
  private boolean published;

  private volatile boolean closing;

  /** For those who wait until all is told that is to be told by now. */
  private final List<CompletableFuture<Void>> waiting = new ArrayList<>();

  /** For those who ask from other threads. */
  private volatile int size;

  private volatile boolean transacted;

  /** What the broker is told. */
  @FunctionalInterface
  private interface Answer {
    void write() throws IOException;
  }

  OutgoingAcks(Channel channel, SerialExecutor events, Runnable owesNothing) {
    this.channel = channel;
    this.events = events;
    this.owesNothing = owesNothing;
  }

  /** Is to be answered for. */
  void arrived(Arrival arrived) {
    open.put(arrived.tag(), arrived);
    size = open.size();
  }

  /** Its consumer has answered for it; from any thread. */
  void ending(Arrival arrived) {
    arrived.stage = Stage.ENDING;
    ending.add(arrived);
  }

  /** Those that somebody may wait for, whether or not the broker still does. */
  List<Arrival> ending() {
    return List.copyOf(ending);
  }

  /** Those that are to be answered for, in order. */
  List<Arrival> open() {
    return List.copyOf(open.values());
  }

  /** How many those are; from any thread. */
  int size() {
    return size;
  }

  /** Whether a lost connection would change nothing. */
  boolean owesNothing() {
    return open.isEmpty() && uncommitted.isEmpty();
  }

  /** The broker gives them to others. */
  void lost() {
    open.clear();
    uncommitted.clear();
    skipped = false;
    answered();
  }

  /** Together with all that is acknowledged by the events that wait already. */
  void acknowledge(Arrival arrived) {
    over(arrived);
    acknowledged.add(arrived);
    if (acknowledged.size() == 1) {
      events.execute(this::acknowledgeAll);
    }
  }

  /** With one frame where the broker waits for no answer in between. */
  private void acknowledgeAll() {
    List<Long> single = new ArrayList<>();
    for (Arrival one : acknowledged) {
      if (open.remove(one.tag(), one)) {
        single.add(one.tag());
      }
    }
    long firstOpen = open.isEmpty() ? Long.MAX_VALUE : open.firstKey();
    long upTo = 0;
    for (long tag : single) {
      upTo = tag < firstOpen ? Math.max(upTo, tag) : upTo;
    }
    if (upTo > 0) {
      long last = upTo;
      write(() -> channel.basicAck(last, true));
    }
    for (long tag : single) {
      if (tag > upTo) {
        write(() -> channel.basicAck(tag, false));
      }
    }
    acknowledged.forEach(this::told);
    acknowledged.clear();
    answered();
    commitSkipped();
  }

  /** Behind the acknowledgements, of which none must include it. */
  void reject(Arrival arrived, boolean requeue) {
    over(arrived);
    events.execute(
        () -> {
          if (open.remove(arrived.tag(), arrived)) {
            write(() -> channel.basicNack(arrived.tag(), false, requeue));
          }
          told(arrived);
          answered();
          commitSkipped();
        });
  }

  private void write(Answer answer) {
    if (transacted) {
      uncommitted.add(answer);
    }
    try {
      answer.write();
    } catch (IOException | RuntimeException e) { // a pooled one throws what it likes
      LOG.debug("The channel is gone; what was to be answered comes again", e);
    }
  }

  /** From now on the channel has transactions; from any thread. */
  void transacted() {
    transacted = true;
  }

  boolean isTransacted() {
    return transacted;
  }

  /** Is called, and the message sent, under this lock: no commit of ours comes in between. */
  void publishes() {
    published = true;
  }

  /** The channel may be used by others soon. */
  void closing() {
    closing = true;
  }

  /** Nobody else would, while the broker sends no more: it waits for these. */
  private synchronized void commitSkipped() {
    if (skipped && !published && !closing && !isWithConsumer()) {
      try {
        Tx.CommitOk unused = commit();
      } catch (IOException | RuntimeException e) {
        LOG.debug("The channel is gone; what was skipped comes again", e);
      }
    }
  }

  private boolean isWithConsumer() {
    return open.values().stream().anyMatch(one -> WITH_CONSUMER.contains(one.stage));
  }

  synchronized Tx.CommitOk commit() throws IOException {
    Tx.CommitOk ok = channel.txCommit();
    published = false;
    skipped = false;
    uncommitted.clear();
    answered();
    return ok;
  }

  /** What was answered for other reasons than the consumer's is answered once more. */
  synchronized Tx.RollbackOk rollback() throws IOException {
    Tx.RollbackOk ok = channel.txRollback();
    published = false;
    List<Answer> again = List.copyOf(uncommitted);
    uncommitted.clear();
    again.forEach(this::write);
    commitSkipped();
    return ok;
  }

  void returnToQueue(Arrival arrived) {
    reject(arrived, true);
  }

  private void over(Arrival arrived) {
    arrived.stage = Stage.OVER;
    ending.remove(arrived);
    arrived.subscription().gone(arrived);
  }

  private void told(Arrival arrived) {
    CompletableFuture<Boolean> told = arrived.told;
    if (told != null) {
      told.complete(arrived.taken); // and who waits for that commits
    } else if (transacted && !arrived.subscription().takesOne()) { // whose channel is not ours
      skipped = true;
    }
  }

  private void answered() {
    size = open.size();
    if (!waiting.isEmpty() && isAllTold()) {
      waiting.forEach(each -> each.complete(null));
      waiting.clear();
    }
    if (owesNothing()) {
      owesNothing.run();
    }
  }

  private boolean isAllTold() {
    return !channel.isOpen()
        || open.values().stream().noneMatch(one -> TO_BE_TOLD.contains(one.stage));
  }

  /** Completes when the broker has been told what it is to be told by now. */
  void whenAllTold(CompletableFuture<Void> then) {
    waiting.add(then);
    answered();
  }
}
