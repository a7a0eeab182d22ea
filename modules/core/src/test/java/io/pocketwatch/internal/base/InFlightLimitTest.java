// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class InFlightLimitTest {
  private static final Duration LONG = ofSeconds(10);

  private final CallbackThread callbacks = new CallbackThread();
  private final InFlightLimit limit = new InFlightLimit(2, callbacks);

  @AfterEach
  void close() {
    callbacks.close();
  }

  @Test
  void there_are_as_many_places_as_the_limit() {
    assertThat(limit.enter(0, ZERO)).isTrue();
    assertThat(limit.enter(0, ZERO)).isTrue();
    assertThat(limit.enter(0, ofMillis(5))).isFalse();
  }

  @Test
  void bodies_are_bounded_and_a_larger_one_gets_in_alone() {
    ByteBudget budget = new ByteBudget(10 << 10);

    assertThat(budget.take(8_000, ZERO)).isTrue();
    assertThat(budget.take(8_000, ofMillis(5))).isFalse();
    budget.give(8_000);
    assertThat(budget.take(1 << 30, ZERO)).isTrue();
    assertThat(budget.take(0, ofMillis(5))).isFalse();
    budget.give(1 << 30);
    budget.forceTake(8_000);
    budget.forceTake(8_000);
    budget.give(8_000);
    assertThat(budget.take(8_000, ofMillis(5))).isFalse();
    budget.give(8_000);
    assertThat(budget.take(8_000, ZERO)).isTrue();
  }

  @Test
  void a_place_is_free_only_when_the_continuations_have_run() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    fill();

    limit.leave(
        0,
        () -> {
          started.countDown();
          await(finish);
        });

    started.await();
    assertThat(limit.enter(0, ZERO)).isFalse();
    finish.countDown();
    assertThat(limit.enter(0, LONG)).isTrue();
  }

  @Test
  void a_continuation_that_throws_frees_its_place_and_is_not_the_last() {
    fill();

    limit.leave(
        0,
        () -> {
          Thread.currentThread().setUncaughtExceptionHandler((thread, error) -> {});
          throw new IllegalStateException("a caller's mistake");
        });

    assertThat(limit.enter(0, LONG)).isTrue();
    limit.leave(0, () -> {});
    assertThat(limit.enter(0, LONG)).isTrue();
  }

  @Test
  void a_continuation_that_publishes_does_not_wait_for_itself() throws Exception {
    CompletableFuture<Boolean> entered = new CompletableFuture<>();
    fill();

    limit.leave(0, () -> entered.complete(limit.enter(0, LONG)));

    assertThat(entered.get(5, TimeUnit.SECONDS)).isTrue();
    assertThat(limit.enter(0, ofMillis(5))).as("the forceTaken place is counted").isFalse();
    limit.leave(0, () -> {});
    assertThat(limit.enter(0, LONG)).isTrue();
  }

  @Test
  void continuations_that_publish_do_not_wait_after_one_has_thrown() throws Exception {
    CompletableFuture<Boolean> entered = new CompletableFuture<>();
    fill();
    limit.leave(
        0,
        () -> {
          Thread.currentThread().setUncaughtExceptionHandler((thread, error) -> {});
          throw new IllegalStateException("replaces the callback thread");
        });
    assertThat(limit.enter(0, LONG)).isTrue();

    limit.leave(0, () -> entered.complete(limit.enter(0, LONG)));

    assertThat(entered.get(5, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void a_chain_of_publishes_comes_to_its_end() throws Exception {
    AtomicInteger links = new AtomicInteger();
    CountDownLatch done = new CountDownLatch(1_000);
    fill();

    limit.leave(0, () -> link(links, done));

    assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
    limit.leave(0, () -> {});
    assertThat(limit.awaitEmpty(LONG)).isTrue();
  }

  @Test
  void never_more_than_the_limit_are_in() throws Exception {
    AtomicInteger in = new AtomicInteger();
    AtomicInteger ended = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      threads.add(
          new Thread(
              () -> {
                for (int message = 0; message < 200; message++) {
                  if (limit.enter(0, LONG)) {
                    most.accumulateAndGet(in.incrementAndGet(), Math::max);
                    limit.leave(0, () -> ended.addAndGet(in.decrementAndGet() >= 0 ? 1 : 0));
                  }
                }
              }));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(limit.awaitEmpty(LONG)).isTrue();
    assertThat(most).hasValueBetween(1, 2);
    assertThat(ended).hasValue(8 * 200);
  }

  @Test
  void empty_means_every_place_is_free() {
    assertThat(limit.awaitEmpty(ZERO)).isTrue();
    assertThat(limit.awaitEmpty(ZERO)).as("asking takes no place").isTrue();
    assertThat(limit.enter(0, ZERO)).isTrue();
    assertThat(limit.awaitEmpty(ofMillis(5))).isFalse();

    limit.leave(0, () -> {});

    assertThat(limit.awaitEmpty(LONG)).isTrue();
  }

  @Test
  void an_interrupted_wait_finds_no_place_and_stays_interrupted() throws Exception {
    fill();
    CompletableFuture<List<Boolean>> seen = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              boolean entered = limit.enter(0, LONG);
              seen.complete(List.of(entered, Thread.currentThread().isInterrupted()));
            });
    thread.start();

    thread.interrupt();

    assertThat(seen.get(5, TimeUnit.SECONDS)).containsExactly(false, true);
  }

  @Test
  void what_ends_after_closing_still_ends() {
    fill();
    callbacks.close();
    CompletableFuture<String> future = new CompletableFuture<>();

    limit.leave(0, () -> future.complete("ended"));

    assertThat(future).isCompletedWithValue("ended");
  }

  private void fill() {
    assertThat(limit.enter(0, ZERO)).isTrue();
    assertThat(limit.enter(0, ZERO)).isTrue();
  }

  private void link(AtomicInteger links, CountDownLatch done) {
    done.countDown();
    if (links.incrementAndGet() < 1_000 && limit.enter(0, LONG)) {
      limit.leave(0, () -> link(links, done));
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
