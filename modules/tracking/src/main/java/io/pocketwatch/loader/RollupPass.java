// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import java.time.Duration;
import java.time.Instant;

/** Counts what happened, minute by minute, before its rows are deleted. */
final class RollupPass {
  /** Until then whoever had the time from the store has committed, but for users' transactions. */
  private static final Duration SETTLES = Duration.ofMinutes(2);

  private static final Duration AT_MOST = Duration.ofSeconds(5);

  private final LoaderContext work;

  RollupPass(LoaderContext work) {
    this.work = work;
  }

  /**
   * What is left after a while is the next look's: recovery must not wait for it.
   *
   * @return up to when everything is counted
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
