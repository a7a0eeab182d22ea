// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import java.time.Duration;
import java.time.Instant;

/** Counts the events of each minute, before their rows are deleted. */
final class RollupPass {
  /** By then a store transaction that read the time earlier has committed; a user's may not. */
  private static final Duration SETTLES = Duration.ofMinutes(2);

  private static final Duration AT_MOST = Duration.ofSeconds(5);

  private final LoaderContext work;

  RollupPass(LoaderContext work) {
    this.work = work;
  }

  /**
   * Stops after a while and leaves the rest to the next look: recovery must not wait for it.
   *
   * @return the instant up to which everything is counted
   */
  Instant run() {
    long begun = System.nanoTime();
    Instant until = work.handOff.now().minus(SETTLES);
    Instant before;
    Instant end = Instant.MIN;
    do {
      before = end;
      end = work.store.rollUp(until);
    } while (end.isAfter(before)
        && System.nanoTime() - begun < AT_MOST.toNanos()
        && !work.stopping());
    return end;
  }
}
