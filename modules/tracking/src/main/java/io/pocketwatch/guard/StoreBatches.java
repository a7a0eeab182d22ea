// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import io.pocketwatch.internal.base.Threads;
import io.pocketwatch.internal.batch.MinimumInterval;
import io.pocketwatch.store.MessageKey;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One kind of question to the store, asked from one thread. Alone a question is asked at once;
 * under load the next call carries all that came meanwhile ({@link MinimumInterval}). Thread-safe;
 * nobody who asks waits.
 */
final class StoreBatches<Q, A> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StoreBatches.class);

  /** Larger calls are not cheaper by the message, and keep the first one waiting. */
  private static final int LARGEST = 500;

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

  private final Call<Q, A> call;
  private final Function<Q, MessageKey> key;
  private final Deque<Asked<Q, A>> waiting = new ArrayDeque<>();
  private final Thread thread;
  private boolean closed;

  /**
   * @param key of the message a question is about: no call names one twice
   */
  StoreBatches(String name, Function<Q, MessageKey> key, Call<Q, A> call) {
    this.key = key;
    this.call = call;
    this.thread = Threads.named(name).newThread(this::run);
    thread.start();
  }

  /** Asks; on the caller's thread only when this is closed. */
  void ask(Q question, BiConsumer<@Nullable A, @Nullable RuntimeException> then) {
    Asked<Q, A> asked = new Asked<>(question, then);
    synchronized (waiting) {
      if (!closed) {
        waiting.add(asked);
        waiting.notifyAll();
        return;
      }
    }
    ask(List.of(asked));
  }

  private void run() {
    MinimumInterval pace = new MinimumInterval();
    while (awaitOne()) {
      pace.await();
      ask(next());
    }
  }

  /** False when this is closed, and nothing waits any more. */
  private boolean awaitOne() {
    synchronized (waiting) {
      while (waiting.isEmpty() && !closed) {
        try {
          waiting.wait();
        } catch (InterruptedException e) {
          // nobody interrupts our threads but a dying JVM
        }
      }
      return !waiting.isEmpty();
    }
  }

  private List<Asked<Q, A>> next() {
    synchronized (waiting) {
      List<Asked<Q, A>> batch = new ArrayList<>();
      Deque<Asked<Q, A>> later = new ArrayDeque<>();
      Set<MessageKey> keys = new HashSet<>();
      while (!waiting.isEmpty() && batch.size() < LARGEST) {
        Asked<Q, A> one = waiting.remove();
        (keys.add(key.apply(one.question())) ? batch : later).add(one);
      }
      while (!later.isEmpty()) {
        waiting.addFirst(later.removeLast());
      }
      return batch;
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
    for (int i = 0; i < batch.size(); i++) {
      tell(batch.get(i), answers.get(i), null);
    }
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

  private static RuntimeException problem(Throwable cause) {
    return cause instanceof RuntimeException known ? known : new IllegalStateException(cause);
  }

  private void tell(Asked<Q, A> asked, @Nullable A answer, @Nullable RuntimeException problem) {
    try {
      asked.then().accept(answer, problem);
    } catch (RuntimeException | Error e) { // the thread must outlive it: nobody else asks
      LOG.error("The answer for {} was not taken", key.apply(asked.question()), e);
    }
  }

  /** Asks what waits, for at most so long; questions that come later are asked by who asks. */
  void close(Duration patience) {
    synchronized (waiting) {
      closed = true;
      waiting.notifyAll();
    }
    if (Thread.currentThread() != thread) {
      Threads.join(List.of(thread), patience);
    }
  }

  @Override
  public void close() {
    close(Duration.ofSeconds(5));
  }
}
