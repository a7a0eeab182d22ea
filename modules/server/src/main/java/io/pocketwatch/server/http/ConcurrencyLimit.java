// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.http;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * What keeps the database busy for seconds: two of a kind at a time. The loader, schedules and
 * callbacks have the other connections of the pool. A few more wait for their turn.
 */
public final class ConcurrencyLimit {
  private static final int AT_WORK = 2;
  private static final int WAITING = 4;

  private final Semaphore places = new Semaphore(AT_WORK, true);
  private final Duration turn;
  private final String what;

  /**
   * @param turn how long one takes, and others wait
   * @param what they are, in the plural
   */
  public ConcurrencyLimit(Duration turn, String what) {
    this.turn = turn;
    this.what = what;
  }

  /**
   * Does it when it has its turn.
   *
   * @throws Problem if it has none in time; nothing was done then
   */
  public <T> T run(Supplier<T> work) {
    if (!placed()) {
      throw Problem.of(
              ProblemType.RATE_LIMITED,
              "%s %s are at work, and others wait for their turn".formatted(AT_WORK, what))
          .retryAfter(turn);
    }
    try {
      return work.get();
    } finally {
      places.release();
    }
  }

  private boolean placed() {
    try {
      return places.getQueueLength() < WAITING
          && places.tryAcquire(turn.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
