// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.store.LoadingStore.Retention;
import io.pocketwatch.store.StoreEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;

/** Deletes finished messages after their retention: after each run and every 10 minutes, by 500. */
final class RetentionPass {
  private static final int BATCH = 500;
  private static final Duration EVERY = Duration.ofMinutes(10);
  private static final Duration AT_MOST = Duration.ofSeconds(20);

  /** Longer than a look takes, with its last batch. */
  private static final Duration LONGEST = Duration.ofMinutes(1);

  private final LoaderContext work;
  private volatile long next = System.nanoTime();

  /** Fewer after a failure: 500 large ones may take longer than the database is given. */
  private int batch = BATCH;

  RetentionPass(LoaderContext work) {
    this.work = work;
  }

  void soon() {
    next = System.nanoTime();
  }

  /**
   * Stops after a while and leaves the rest to the next look: recovery must not wait for it.
   *
   * @param counted the instant up to which messages are counted; later ones stay until they are
   */
  void run(Instant counted) {
    long begun = System.nanoTime();
    if (begun - next < 0) {
      return;
    }
    next = begun + EVERY.toNanos();
    Duration uncounted = Duration.between(counted, work.handOff.now()).plus(LONGEST);
    Duration keep = Collections.max(List.of(work.options.retention(), uncounted));
    Retention retention = new Retention(keep, work.options.grace());
    int deleted;
    int asked;
    do {
      asked = batch;
      batch = Math.max(1, asked / 10);
      deleted = work.store.deleteFinished(retention, asked);
      batch = Math.min(BATCH, 2 * asked);
      if (deleted > 0) {
        work.listener.onEvent(new StoreEvent.Deleted(deleted));
      }
      if (System.nanoTime() - begun > AT_MOST.toNanos()) {
        next = begun;
        return;
      }
    } while (deleted == asked && !work.stopping());
  }
}
