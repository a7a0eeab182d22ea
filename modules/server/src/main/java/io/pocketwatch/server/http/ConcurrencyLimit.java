// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.http;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Lets two requests of a kind keep the database busy at a time, which takes seconds. Four more wait
 * for their turn. The other connections of the pool are for the loader, schedules and callbacks.
 */
public final class ConcurrencyLimit {
  private static final int AT_WORK = 2;
  private static final int WAITING = 4;

  private final Semaphore places = new Semaphore(AT_WORK, true);
  private final Duration turn;
  private final String requests;

  /**
   * @param turn how long a request takes, and others wait
   * @param requests their name, in the plural
   */
  public ConcurrencyLimit(Duration turn, String requests) {
    this.turn = turn;
    this.requests = requests;
  }

  /**
   * Runs the work when its turn comes.
   *
   * @throws Problem if its turn does not come in time; nothing was done then
   */
  public <T> T run(Supplier<T> work) {
    if (!placed()) {
      throw Problem.of(
              ProblemType.RATE_LIMITED,
              "%s %s are at work, and others wait for their turn".formatted(AT_WORK, requests))
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
