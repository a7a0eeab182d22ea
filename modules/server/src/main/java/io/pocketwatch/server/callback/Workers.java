// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import io.github.bucket4j.Bucket;
import io.pocketwatch.internal.base.Threads;
import io.pocketwatch.server.config.CallbackSettings;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The threads and the rate of one route, which no other route shares. */
final class Workers {
  /** How long interrupted calls may take to requeue their messages. */
  private static final Duration GIVING_BACK = Duration.ofSeconds(5);

  private final ThreadPoolExecutor threads;
  private final Bucket rate;

  Workers(CallbackSettings settings) {
    this.threads =
        new ThreadPoolExecutor(
            settings.concurrency(),
            settings.concurrency(),
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Threads.named("pocketwatch-callback-" + settings.route()));
    this.rate =
        Bucket.builder()
            .addLimit(
                limit ->
                    limit
                        .capacity(settings.rate())
                        .refillGreedy(settings.rate(), Duration.ofSeconds(1)))
            .build();
  }

  /**
   * Never more wait here than the broker sends ahead: as many as there are threads.
   *
   * @param giveBack runs instead after {@link #close}
   */
  void execute(Runnable task, Runnable giveBack) {
    try {
      threads.execute(() -> (threads.isShutdown() ? giveBack : task).run());
    } catch (RejectedExecutionException e) {
      giveBack.run();
    }
  }

  void waitForTurn() throws InterruptedException {
    rate.asBlocking().consume(1);
  }

  /**
   * Starts no more tasks, waits for running ones, and interrupts those that then still run.
   *
   * @return how many were interrupted
   */
  int close(Duration patience) {
    threads.shutdown();
    try {
      if (await(patience)) {
        return 0;
      }
      int left = threads.getActiveCount();
      threads.shutdownNow();
      await(GIVING_BACK);
      return left;
    } catch (InterruptedException e) {
      int left = threads.getActiveCount();
      threads.shutdownNow();
      Thread.currentThread().interrupt();
      return left;
    }
  }

  private boolean await(Duration patience) throws InterruptedException {
    return threads.awaitTermination(patience.toMillis(), TimeUnit.MILLISECONDS);
  }
}
