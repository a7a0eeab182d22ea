// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.sql;

import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import java.time.Duration;

/**
 * How db-scheduler is set up.
 *
 * @param lockAndFetch the strategy for high throughput, instead of the default one
 */
public record DbSchedulerSettings(int threads, Duration polling, boolean lockAndFetch) {
  /**
   * Starts the next fetch when the queue is down to a share of the threads, as its manual has it.
   */
  private static final double LOWER_LIMIT = 0.5;

  private static final double UPPER_LIMIT = 4.0;

  /** As it comes: ten threads, a look every 10 s. */
  public static DbSchedulerSettings defaults() {
    return new DbSchedulerSettings(10, SchedulerBuilder.DEFAULT_POLLING_INTERVAL, false);
  }

  DbSchedulerSettings withPolling(Duration polling) {
    return new DbSchedulerSettings(threads, polling, lockAndFetch);
  }

  void apply(SchedulerBuilder builder) {
    builder.threads(threads).pollingInterval(polling);
    if (lockAndFetch) {
      builder.pollUsingLockAndFetch(LOWER_LIMIT, UPPER_LIMIT);
    }
  }
}
