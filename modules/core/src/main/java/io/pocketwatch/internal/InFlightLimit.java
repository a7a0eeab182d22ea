// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Bounds the messages between a publish call and the end of its future.
 *
 * <p>A place is free again only when the future's continuations have run, so slow continuations
 * slow publishing down instead of filling memory. A continuation that publishes does not wait for a
 * place: it would wait for itself.
 */
final class InFlightLimit {
  private final int limit;
  private final Callbacks callbacks;
  private final Places places = new Places();
  private final ByteBudget bytes = new ByteBudget();

  InFlightLimit(int limit, Callbacks callbacks) {
    this.limit = limit;
    this.callbacks = callbacks;
    places.release(limit);
  }

  /**
   * Waits for a free place, and for room for the body.
   *
   * @return whether there was one in time; not if interrupted, which stays set
   */
  boolean enter(int bodyLength, Duration patience) {
    if (callbacks.isCurrentThread()) {
      places.overdraw();
      bytes.overdraw(bodyLength);
      return true;
    }
    long deadline = System.nanoTime() + patience.toNanos();
    if (!places.take(1, patience)) {
      return false;
    }
    Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
    boolean in = bytes.take(bodyLength, left);
    if (!in) {
      places.release(1);
    }
    return in;
  }

  /** Runs the end of a message on the callback thread, then frees its place. */
  void leave(int bodyLength, Runnable end) {
    callbacks.run(
        () -> {
          try {
            end.run();
          } finally {
            bytes.give(bodyLength);
            places.release(1);
          }
        });
  }

  /** Waits until every place is free. */
  boolean awaitEmpty(Duration patience) {
    if (callbacks.isCurrentThread()) {
      return false; // its own place is taken until it returns
    }
    boolean empty = places.take(limit, patience);
    if (empty) {
      places.release(limit);
    }
    return empty;
  }

  private static final class Places extends Semaphore {
    private static final long serialVersionUID = 1L;

    Places() {
      super(0);
    }

    void overdraw() {
      reducePermits(1);
    }

    boolean take(int count, Duration patience) {
      try {
        return tryAcquire(count, patience.toNanos(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
  }
}
