// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ConcurrencyLimitTest {
  @Test
  void two_are_at_work_and_who_has_no_turn_in_time_is_told_when_to_come_again() throws Exception {
    ConcurrencyLimit few = new ConcurrencyLimit(Duration.ofMillis(50), "counts");
    ExecutorService threads = Executors.newCachedThreadPool();
    CountDownLatch begun = new CountDownLatch(2);
    CountDownLatch end = new CountDownLatch(1);
    AtomicInteger done = new AtomicInteger();
    try {
      List<CompletableFuture<Integer>> all = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        all.add(
            CompletableFuture.supplyAsync(
                () ->
                    few.run(
                        () -> {
                          begun.countDown();
                          await(end);
                          return done.incrementAndGet();
                        }),
                threads));
      }
      begun.await();

      Problem refused = catchThrowableOfType(Problem.class, () -> few.run(done::incrementAndGet));

      assertThat(refused.type()).isEqualTo(ProblemType.RATE_LIMITED);
      assertThat(refused.headers()).containsEntry("Retry-After", "1");
      assertThat(refused.detail()).contains("2 counts");
      end.countDown();
      all.forEach(CompletableFuture::join);
      assertThat(few.run(done::incrementAndGet)).isEqualTo(3);
    } finally {
      threads.shutdownNow();
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
