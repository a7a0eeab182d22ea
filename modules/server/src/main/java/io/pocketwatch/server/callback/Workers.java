// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import io.github.bucket4j.Bucket;
import io.pocketwatch.server.background.DaemonThreads;
import io.pocketwatch.server.config.CallbackSettings;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** The threads and the rate of one route, which no other route shares. */
final class Workers implements AutoCloseable {
  private final ExecutorService threads;
  private final Bucket rate;
  private final Duration patience;

  Workers(CallbackSettings settings) {
    this.threads =
        Executors.newFixedThreadPool(
            settings.concurrency(),
            DaemonThreads.named("pocketwatch-callback-" + settings.route()));
    this.rate =
        Bucket.builder()
            .addLimit(
                limit ->
                    limit
                        .capacity(settings.rate())
                        .refillGreedy(settings.rate(), Duration.ofSeconds(1)))
            .build();
    this.patience = settings.timeout();
  }

  /** Never more wait here than the broker sends ahead: as many as there are threads. */
  void execute(Runnable task) {
    threads.execute(task);
  }

  void waitForTurn() throws InterruptedException {
    rate.asBlocking().consume(1);
  }

  /** Waits for the calls under way as long as one may take. */
  @Override
  public void close() {
    threads.shutdown();
    try {
      if (!threads.awaitTermination(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        threads.shutdownNow();
      }
    } catch (InterruptedException e) {
      threads.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
