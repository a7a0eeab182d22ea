// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SchedulingStore.InsertOutcome;
import io.pocketwatch.store.SettlingStore.Begun.Verdict;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.store.Handlings;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Cancel, reschedule and a handler at the same message: every answer is what then happens. */
interface RaceTests extends JdbcStoreContract {
  int PAIRS = 4;

  /** What the changing side and the handling side were told. */
  record Answers(ChangeOutcome change, boolean settled) {}

  @Test
  default void every_answer_is_what_then_happens() throws Exception {
    everyAnswerOf(2_000);
  }

  @Tag("wide")
  @Test
  default void likewise_many_times() throws Exception {
    everyAnswerOf(20_000);
  }

  private void everyAnswerOf(int races) throws Exception {
    long seed = Long.getLong("race.seed", ThreadLocalRandom.current().nextLong());
    System.out.println("races of " + getClass().getSimpleName() + ": -Drace.seed=" + seed);
    ExecutorService threads = Executors.newFixedThreadPool(2 * PAIRS);
    try {
      List<Future<int[]>> pairs = new ArrayList<>();
      for (int pair = 0; pair < PAIRS; pair++) {
        Random random = new Random(seed + pair);
        pairs.add(threads.submit(() -> races(races, random, threads)));
      }
      int[] seen = new int[2];
      for (Future<int[]> pair : pairs) {
        int[] counts = pair.get(5, TimeUnit.MINUTES);
        seen[0] += counts[0];
        seen[1] += counts[1];
      }
      // Otherwise the two sides never met.
      assertThat(seen[0]).as("races the change won").isGreaterThan(races / 100);
      assertThat(seen[1]).as("races the handler won").isGreaterThan(races / 100);
    } finally {
      threads.shutdownNow();
    }
  }

  private int[] races(int races, Random random, ExecutorService threads) throws Exception {
    String route = newRoute();
    int[] won = new int[2];
    CyclicBarrier together = new CyclicBarrier(2);
    for (int first = 0; first < races / PAIRS; first += 100) {
      List<ScheduledMessage> batch = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        batch.add(message(route, "m" + (first + i), store().now()));
      }
      assertThat(store().insert(batch, null)).containsOnly(InsertOutcome.INSERTED);
      for (ScheduledMessage message : batch) {
        boolean cancel = random.nextBoolean();
        int head = random.nextInt(3) * 200;
        Answers answers = race(message.key(), cancel, head, together, threads);
        check(message.key(), cancel, answers);
        won[answers.settled ? 1 : 0]++;
      }
    }
    return won;
  }

  private Answers race(
      MessageKey key, boolean cancel, int head, CyclicBarrier together, ExecutorService threads)
      throws Exception {
    Callable<Boolean> handler =
        () -> {
          together.await();
          Handlings.Answer begun = Handlings.of(store()).begin(key, 1, "q", LONG);
          return begun.verdict() == Verdict.HANDLE
              && Handlings.of(store()).settle(begun.handling());
        };
    Future<Boolean> settled = threads.submit(handler);
    together.await();
    long until = System.nanoTime() + head * 1000L;
    while (System.nanoTime() < until) {
      Thread.onSpinWait();
    }
    ChangeOutcome change =
        cancel ? store().cancel(key) : store().reschedule(key, store().now().plusSeconds(60));
    return new Answers(change, settled.get());
  }

  private void check(MessageKey key, boolean cancel, Answers answers) {
    StoredMessage message = found(key);
    switch (answers.change) {
      case DONE -> {
        assertThat(answers.settled).as("handled although %s", answers).isFalse();
        assertThat(message.state())
            .isEqualTo(cancel ? MessageState.CANCELLED : MessageState.PENDING);
        assertThat(message.generation()).isEqualTo(cancel ? 1 : 2);
        assertThat(Handlings.of(store()).begin(key, 1, "q", LONG).verdict())
            .isEqualTo(cancel ? Verdict.CANCELLED : Verdict.OUTDATED);
      }
      case BEING_HANDLED, TOO_LATE -> {
        assertThat(answers.settled).as("not handled although %s", answers).isTrue();
        assertThat(message.state()).isEqualTo(MessageState.SETTLED);
        assertThat(message.generation()).isEqualTo(1);
      }
      case UNKNOWN, UNCERTAIN -> throw new AssertionError(key + " is " + answers.change);
    }
  }
}
