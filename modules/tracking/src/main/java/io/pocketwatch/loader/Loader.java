// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.tracking.TrackedPublisher;
import java.time.Instant;
import java.time.InstantSource;

/**
 * Moves stored messages to the broker. What is tracked to the end it sends when it is due: it looks
 * for that every second. The rest it takes to the broker when the horizon moves, and sweeps in
 * between. It brings back what was sent but never arrived.
 *
 * <p>It is thread-safe. Any number of loaders, in any number of processes, may work on one store.
 * None is special, and each row is claimed by one of them, the earliest first. There is no lower
 * bound, so that catching up after an outage is nothing special.
 */
public interface Loader extends AutoCloseable {
  /**
   * A builder.
   *
   * @param publisher whose store and routes the loader works on; not closed with the loader
   */
  static Builder builder(TrackedPublisher publisher) {
    return new LoaderBuilder(publisher);
  }

  /**
   * Starts to load on daemon threads, and returns at once.
   *
   * @throws IllegalStateException if it was started or closed before
   */
  void start();

  /**
   * Loads everything claimable that is due up to the horizon, on this thread and a few others. Of
   * what is tracked to the end it loads only what is due now. Waits for a run that is under way.
   *
   * @throws IllegalStateException if this loader is closed
   */
  LoadReport runOnce(LoadProgress progress);

  /**
   * Loads everything claimable that is due up to an instant, on the store's clock. Routes with a
   * {@code handoff-before} still keep what is due later than that, and what is tracked to the end
   * stays until it is due.
   *
   * @throws IllegalStateException if this loader is closed
   */
  LoadReport runUntil(Instant until, LoadProgress progress);

  /** How it is doing. */
  LoaderState state();

  /**
   * Stops. What was sent is waited for, at most as long as the broker may take to confirm. What was
   * only claimed is given back.
   */
  @Override
  void close();

  /** Collects what a loader needs. */
  interface Builder {
    /** Who hears of what happens, besides those named before. */
    Builder listener(PocketwatchListener listener);

    /** This machine's clock, compared with the store's; the system clock unless set. */
    Builder clock(InstantSource machine);

    Loader build();
  }
}
