// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.store.LoadingStore.Retention;
import java.time.Duration;

/** Makes history of finished messages, in small batches: after each run, and every so often. */
final class HistoryCleaner {
  private static final int BATCH = 500;
  private static final Duration EVERY = Duration.ofMinutes(10);
  private static final Duration AT_MOST = Duration.ofSeconds(20);

  private final LoaderContext work;
  private volatile long next = System.nanoTime();

  HistoryCleaner(LoaderContext work) {
    this.work = work;
  }

  void soon() {
    next = System.nanoTime();
  }

  /** What is left after a while is the next look's: recovery must not wait for it. */
  void tidy() {
    long begun = System.nanoTime();
    if (begun - next < 0) {
      return;
    }
    next = begun + EVERY.toNanos();
    Retention retention =
        new Retention(work.options.retention(), work.options.grace(), work.options.history());
    int moved;
    do {
      moved = work.store.moveToHistory(retention, BATCH);
      if (moved > 0) {
        work.listener.movedToHistory(moved);
      }
      if (System.nanoTime() - begun > AT_MOST.toNanos()) {
        next = begun;
        return;
      }
    } while (moved == BATCH && !work.stopping());
  }
}
