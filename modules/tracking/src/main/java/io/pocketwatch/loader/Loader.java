// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.tracking.TrackedPublisher;
import java.time.Instant;
import java.time.InstantSource;

/**
 * Sends stored messages to the broker. Messages that are tracked to the end it sends when they are
 * due, and polls for them every second. The others it hands off when the horizon moves, and in
 * sweeps between. It sends messages again that were sent but never arrived.
 *
 * <p>Thread-safe. Any number of loaders, in any number of processes, may work on one store. Each
 * row is claimed by one of them, the earliest first. There is no lower bound, so a backlog after an
 * outage is loaded like anything else.
 */
public interface Loader extends AutoCloseable {
  /**
   * A builder.
   *
   * @param publisher the publisher whose store and routes are loaded; the loader does not close it
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
   * messages tracked to the end it loads only those due now. Waits for a run that is under way.
   *
   * @throws IllegalStateException if this loader is closed
   */
  LoadReport runOnce(LoadProgress progress);

  /**
   * Loads everything claimable that is due up to an instant, on the store's clock. Routes with a
   * {@code handoff-before} still keep messages due later than that, and messages tracked to the end
   * stay until they are due.
   *
   * @throws IllegalStateException if this loader is closed
   */
  LoadReport runUntil(Instant until, LoadProgress progress);

  /** The state of this loader. */
  LoaderState state();

  /**
   * Stops, and waits for the confirms of sent messages: at most twice the {@code confirm-timeout}
   * and some seconds. Messages that were only claimed are given back.
   */
  @Override
  void close();

  /** Collects the settings of a loader. */
  interface Builder {
    /** A listener, in addition to those set before. */
    Builder listener(PocketwatchListener listener);

    /** This machine's clock, compared with the store's; the system clock unless set. */
    Builder clock(InstantSource machine);

    Loader build();
  }
}
