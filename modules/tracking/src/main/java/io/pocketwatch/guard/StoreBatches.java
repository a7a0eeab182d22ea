// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.batch.BatchPace;
import io.pocketwatch.store.MessageKey;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One kind of question to the store, asked from one thread. After a quiet time a question is asked
 * at once; under load the next call carries all that came meanwhile. A transaction costs the
 * database about as much with five rows as with one. Routes take turns, so a backlog of one holds
 * up no other. Thread-safe; nobody who asks waits.
 */
final class StoreBatches<Q, A> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StoreBatches.class);

  /** Larger calls are hardly cheaper by the message, and keep those waiting that come meanwhile. */
  private static final int LARGEST = 200;

  private static final Duration LAST_CALLS = Duration.ofSeconds(5);

  /** Asks the store; an answer for each, in order. */
  @FunctionalInterface
  interface Call<Q, A> {
    List<A> ask(List<Q> questions);
  }

  /**
   * @param then is told the answer, or why there is none; on this thread, so it must be quick
   */
  private record Asked<Q, A>(
      Q question, BiConsumer<@Nullable A, @Nullable RuntimeException> then) {}

  private final Scheduler time;
  private final Call<Q, A> call;
  private final Function<Q, MessageKey> key;
  private final ScheduledExecutorService thread;
  private final BatchPace pace;

  /** By route. Guards itself and what follows. */
  private final Map<String, Deque<Asked<Q, A>>> waiting = new LinkedHashMap<>();

  private int count;
  private boolean planned;
  private boolean hurried;
  private boolean closed;

  /**
   * @param apart how long a call gathers questions that nobody waits for, from the last one on, at
   *     least
   * @param key of the message a question is about: no call names one twice
   */
  StoreBatches(
      Scheduler time, String name, Duration apart, Function<Q, MessageKey> key, Call<Q, A> call) {
    this.time = time;
    this.key = key;
    this.call = call;
    this.thread = time.timer(name, 1);
    this.pace = new BatchPace(apart, time.nanoTime());
  }

  /**
   * Asks; on the caller's thread only when this is closed.
   *
   * @param now whether somebody waits for the answer
   */
  void ask(Q question, boolean now, BiConsumer<@Nullable A, @Nullable RuntimeException> then) {
    Asked<Q, A> asked = new Asked<>(question, then);
    synchronized (waiting) {
      if (!closed) {
        waiting
            .computeIfAbsent(key.apply(question).route(), route -> new ArrayDeque<>())
            .add(asked);
        count++;
        plan(now || count >= LARGEST);
        return;
      }
    }
    ask(List.of(asked));
  }

  /** Somebody waits for the answers to what was asked. */
  void hurry() {
    synchronized (waiting) {
      if (!closed && count > 0) {
        plan(true);
      }
    }
  }

  private void plan(boolean now) {
    if (now ? hurried : planned || hurried) {
      return;
    }
    if (now) {
      hurried = true;
      thread.execute(this::askNext);
    } else {
      planned = true;
      ScheduledFuture<?> unused =
          thread.schedule(
              this::askNext, Math.max(0, pace.left(time.nanoTime())), TimeUnit.NANOSECONDS);
    }
  }

  private void askNext() {
    List<Asked<Q, A>> batch = next();
    long begun = time.nanoTime();
    try {
      if (!batch.isEmpty()) {
        ask(batch);
      }
    } finally { // or nothing would be asked any more
      synchronized (waiting) {
        pace.ended(batch.size(), begun, time.nanoTime());
        planned = false;
        hurried = false;
        if (count > 0 && !closed) {
          plan(count >= LARGEST);
        }
      }
    }
  }

  private List<Asked<Q, A>> next() {
    synchronized (waiting) {
      Map<MessageKey, Asked<Q, A>> batch = new LinkedHashMap<>();
      int before = -1;
      while (batch.size() > before && batch.size() < LARGEST) {
        before = batch.size();
        for (Deque<Asked<Q, A>> route : waiting.values()) {
          if (batch.size() < LARGEST) {
            addNext(route, batch);
          }
        }
      }
      batch.keySet().stream().map(MessageKey::route).distinct().forEach(this::goesLast);
      count -= batch.size();
      return List.copyOf(batch.values());
    }
  }

  /** With more routes than a call has places, the next call begins with the others. */
  private void goesLast(String route) {
    Deque<Asked<Q, A>> left = waiting.remove(route);
    if (left != null && !left.isEmpty()) {
      waiting.put(route, left);
    }
  }

  /** Of a message that is asked about already, the next call. */
  private void addNext(Deque<Asked<Q, A>> route, Map<MessageKey, Asked<Q, A>> batch) {
    for (Iterator<Asked<Q, A>> each = route.iterator(); each.hasNext(); ) {
      Asked<Q, A> one = each.next();
      if (batch.putIfAbsent(key.apply(one.question()), one) == null) {
        each.remove();
        return;
      }
    }
  }

  private void ask(List<Asked<Q, A>> batch) {
    if (batch.size() == 1) {
      alone(batch.get(0));
      return;
    }
    List<A> answers;
    try {
      answers = call.ask(batch.stream().map(Asked::question).toList());
    } catch (RuntimeException | Error e) {
      failed(batch, e);
      return;
    }
    SerialExecutor.together(
        () -> {
          for (int i = 0; i < batch.size(); i++) {
            tell(batch.get(i), answers.get(i), null);
          }
        });
  }

  /** False if the store did not answer. */
  private boolean alone(Asked<Q, A> one) {
    A answer;
    try {
      answer = call.ask(List.of(one.question())).get(0);
    } catch (RuntimeException | Error e) {
      tell(one, null, problem(e));
      return false;
    }
    tell(one, answer, null);
    return true;
  }

  /** One that the store cannot take must not keep the others from it; a store that is away may. */
  private void failed(List<Asked<Q, A>> batch, Throwable cause) {
    LOG.debug("A call for {} messages failed", batch.size(), cause);
    int last = batch.size() - 1;
    boolean answers = alone(batch.get(0)) | alone(batch.get(last));
    for (Asked<Q, A> one : batch.subList(1, last)) {
      if (answers) {
        alone(one);
      } else {
        tell(one, null, problem(cause));
      }
    }
  }

  /** What those are told who asked a store that threw it. */
  static RuntimeException problem(Throwable cause) {
    return cause instanceof RuntimeException known ? known : new IllegalStateException(cause);
  }

  private void tell(Asked<Q, A> asked, @Nullable A answer, @Nullable RuntimeException problem) {
    try {
      asked.then().accept(answer, problem);
    } catch (RuntimeException | Error e) { // or the others of its batch would not be told
      LOG.error("The answer for {} was not taken", key.apply(asked.question()), e);
    }
  }

  /** Asks what waits, for at most 5 s; questions that come later are asked by who asks. */
  @Override
  public void close() {
    synchronized (waiting) {
      if (closed) {
        return;
      }
      closed = true;
    }
    thread.execute(this::askRest);
    thread.shutdown();
    try {
      boolean unused = thread.awaitTermination(LAST_CALLS.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void askRest() {
    for (List<Asked<Q, A>> batch = next(); !batch.isEmpty(); batch = next()) {
      ask(batch);
    }
  }
}
