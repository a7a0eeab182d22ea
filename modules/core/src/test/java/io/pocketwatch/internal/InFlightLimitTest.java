// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal;

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

  private final Callbacks callbacks = new Callbacks();
  private final InFlightLimit limit = new InFlightLimit(2, callbacks);

  @AfterEach
  void close() {
    callbacks.close();
  }

  @Test
  void thereAreAsManyPlacesAsTheLimit() {
    assertThat(limit.enter(ZERO)).isTrue();
    assertThat(limit.enter(ZERO)).isTrue();
    assertThat(limit.enter(ofMillis(5))).isFalse();
  }

  @Test
  void aPlaceIsFreeOnlyWhenTheContinuationsHaveRun() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    fill();

    limit.leave(
        () -> {
          started.countDown();
          await(finish);
        });

    started.await();
    assertThat(limit.enter(ZERO)).isFalse();
    finish.countDown();
    assertThat(limit.enter(LONG)).isTrue();
  }

  @Test
  void aContinuationThatThrowsFreesItsPlaceAndIsNotTheLast() {
    fill();

    limit.leave(
        () -> {
          Thread.currentThread().setUncaughtExceptionHandler((thread, error) -> {});
          throw new IllegalStateException("a caller's mistake");
        });

    assertThat(limit.enter(LONG)).isTrue();
    limit.leave(() -> {});
    assertThat(limit.enter(LONG)).isTrue();
  }

  @Test
  void aContinuationThatPublishesDoesNotWaitForItself() throws Exception {
    CompletableFuture<Boolean> entered = new CompletableFuture<>();
    fill();

    limit.leave(() -> entered.complete(limit.enter(LONG)));

    assertThat(entered.get(5, TimeUnit.SECONDS)).isTrue();
    assertThat(limit.enter(ofMillis(5))).as("the overdrawn place is counted").isFalse();
    limit.leave(() -> {});
    assertThat(limit.enter(LONG)).isTrue();
  }

  @Test
  void continuationsThatPublishDoNotWaitAfterOneHasThrown() throws Exception {
    CompletableFuture<Boolean> entered = new CompletableFuture<>();
    fill();
    limit.leave(
        () -> {
          Thread.currentThread().setUncaughtExceptionHandler((thread, error) -> {});
          throw new IllegalStateException("replaces the callback thread");
        });
    assertThat(limit.enter(LONG)).isTrue();

    limit.leave(() -> entered.complete(limit.enter(LONG)));

    assertThat(entered.get(5, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aChainOfPublishesComesToItsEnd() throws Exception {
    AtomicInteger links = new AtomicInteger();
    CountDownLatch done = new CountDownLatch(1_000);
    fill();

    limit.leave(() -> link(links, done));

    assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
    limit.leave(() -> {});
    assertThat(limit.awaitEmpty(LONG)).isTrue();
  }

  @Test
  void neverMoreThanTheLimitAreIn() throws Exception {
    AtomicInteger in = new AtomicInteger();
    AtomicInteger ended = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      threads.add(
          new Thread(
              () -> {
                for (int message = 0; message < 200; message++) {
                  if (limit.enter(LONG)) {
                    most.accumulateAndGet(in.incrementAndGet(), Math::max);
                    limit.leave(() -> ended.addAndGet(in.decrementAndGet() >= 0 ? 1 : 0));
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
  void emptyMeansEveryPlaceIsFree() {
    assertThat(limit.awaitEmpty(ZERO)).isTrue();
    assertThat(limit.awaitEmpty(ZERO)).as("asking takes no place").isTrue();
    assertThat(limit.enter(ZERO)).isTrue();
    assertThat(limit.awaitEmpty(ofMillis(5))).isFalse();

    limit.leave(() -> {});

    assertThat(limit.awaitEmpty(LONG)).isTrue();
  }

  @Test
  void anInterruptedWaitFindsNoPlaceAndStaysInterrupted() throws Exception {
    fill();
    CompletableFuture<List<Boolean>> seen = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              boolean entered = limit.enter(LONG);
              seen.complete(List.of(entered, Thread.currentThread().isInterrupted()));
            });
    thread.start();

    thread.interrupt();

    assertThat(seen.get(5, TimeUnit.SECONDS)).containsExactly(false, true);
  }

  @Test
  void whatEndsAfterClosingStillEnds() {
    fill();
    callbacks.close();
    CompletableFuture<String> future = new CompletableFuture<>();

    limit.leave(() -> future.complete("ended"));

    assertThat(future).isCompletedWithValue("ended");
  }

  private void fill() {
    assertThat(limit.enter(ZERO)).isTrue();
    assertThat(limit.enter(ZERO)).isTrue();
  }

  private void link(AtomicInteger links, CountDownLatch done) {
    done.countDown();
    if (links.incrementAndGet() < 1_000 && limit.enter(LONG)) {
      limit.leave(() -> link(links, done));
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
