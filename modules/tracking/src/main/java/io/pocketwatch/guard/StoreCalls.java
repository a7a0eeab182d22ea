// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.batch.Batches;
import io.pocketwatch.internal.batch.Line;
import io.pocketwatch.store.MessageKey;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls of one kind to the store, in {@link Batches} in which routes take turns. Thread-safe;
 * callers do not wait.
 */
final class StoreCalls<Q, A> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StoreCalls.class);

  /** Larger calls hardly cost less per message, and let messages that come meanwhile wait. */
  private static final int LARGEST = 200;

  /** Asks the store; an answer for each, in order. */
  @FunctionalInterface
  interface Call<Q, A> {
    List<A> ask(List<Q> questions);
  }

  /**
   * @param then takes the answer, or why there is none; on a shared thread, so it must be quick
   */
  private record Asked<Q, A>(
      Q question, BiConsumer<@Nullable A, @Nullable RuntimeException> then) {}

  private final Function<Q, MessageKey> key;
  private final Call<Q, A> call;
  private final Batches<Asked<Q, A>> batches;

  /**
   * @param apart the least time between calls, in which questions gather that nobody waits for
   * @param key the message of a question: no call names one twice
   */
  StoreCalls(
      Scheduler time, String name, Duration apart, Function<Q, MessageKey> key, Call<Q, A> call) {
    this.key = key;
    this.call = call;
    Line<Asked<Q, A>> turns = Line.inTurns(asked -> key.apply(asked.question()));
    this.batches =
        new Batches<>(time, name, turns, Batches.Limits.unbounded(LARGEST, apart), this::ask);
  }

  /**
   * Asks; on the caller's thread only when this is closed.
   *
   * @param now whether somebody waits for the answer
   */
  void ask(Q question, boolean now, BiConsumer<@Nullable A, @Nullable RuntimeException> then) {
    Asked<Q, A> asked = new Asked<>(question, then);
    if (!(now ? batches.addHurried(asked) : batches.add(asked, Duration.ZERO))) {
      alone(asked);
    }
  }

  /** Asks at once, since the answers are waited for. */
  void hurry() {
    batches.hurry();
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

  /** Asks the questions one by one: one that the store cannot take must not fail the others. */
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

  /** The exception for the callers of a store that threw this. */
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

  /** Asks what waits, for at most 5 s; later questions are asked on their callers' threads. */
  @Override
  public void close() {
    batches.close();
  }
}
