// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.loader.LoaderPresence;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.OverviewStore.LostChanges;
import io.pocketwatch.store.OverviewStore.OverdueCount;
import io.pocketwatch.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Asks the store for its state from time to time. So a health check neither waits for a dead
 * database nor asks a living one too often.
 */
final class StoreWatch implements Runnable {
  static final Duration EVERY = Duration.ofSeconds(5);

  /**
   * Longer than the wait for a free connection, up to 5 s in the pool, and the queries after it.
   */
  private static final Duration OUTDATED = Duration.ofSeconds(20);

  private final DelayStore store;
  private final SilenceTimer timer = new SilenceTimer();
  private volatile Look look;

  /**
   * @throws StoreException if it does not answer now
   */
  StoreWatch(DelayStore store) {
    this.store = store;
    this.look = ask();
  }

  @Override
  public void run() {
    try {
      look = ask();
    } catch (StoreException e) {
      look = look.silent(ErrorWords.of(e), System.nanoTime());
    }
  }

  private Look ask() {
    timer.asked();
    Look seen =
        new Look(
            LoaderPresence.of(store),
            store.overdueCounts(),
            store.now(),
            store.lostChanges(),
            null,
            System.nanoTime());
    timer.answered();
    return seen;
  }

  /** For how long the store has not answered. */
  Duration silent() {
    return timer.silent();
  }

  String describe() {
    return store.describe();
  }

  Look look() {
    Look last = look;
    Duration age = Duration.ofNanos(System.nanoTime() - last.nanoTime());
    return last.error() == null && age.compareTo(OUTDATED) > 0
        ? last.silent("it has not answered for " + age.toSeconds() + " s", last.nanoTime())
        : last;
  }

  /**
   * The result of a look.
   *
   * @param presence the loaders, as last known
   * @param overdue what was overdue, by route, as last known
   * @param at when it was counted, on the store's clock
   * @param lost confirmed changes that the store has lost, or null
   * @param error why the last look failed, or null
   * @param nanoTime the time of the look, on this JVM's clock
   */
  record Look(
      LoaderPresence presence,
      List<OverdueCount> overdue,
      Instant at,
      @Nullable LostChanges lost,
      @Nullable String error,
      long nanoTime) {
    Look {
      overdue = List.copyOf(overdue);
    }

    private Look silent(String why, long now) {
      return new Look(presence, overdue, at, lost, why, now);
    }
  }
}
