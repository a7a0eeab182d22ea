// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the messages between a publish call and the end of its future, and runs what ends futures.
 *
 * <p>A place is free again only when the future's continuations have run, so slow continuations
 * slow publishing down instead of filling memory. A continuation that publishes does not wait for a
 * place: it would wait for itself.
 */
final class InFlightLimit implements AutoCloseable {
  private final int limit;
  private final Places places = new Places();
  private final ExecutorService callbacks =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = Threads.named("pocketwatch-callback").newThread(task);
            callbackThread = thread;
            return thread;
          });
  private volatile @Nullable Thread callbackThread;

  InFlightLimit(int limit) {
    this.limit = limit;
    places.release(limit);
  }

  /**
   * Waits for a free place.
   *
   * @return whether there was one in time; not if interrupted, which stays set
   */
  boolean enter(Duration patience) {
    if (Thread.currentThread() == callbackThread) {
      places.overdraw();
      return true;
    }
    return places.take(patience);
  }

  /** Runs the end of a message on the callback thread, then frees its place. */
  void leave(Runnable end) {
    Runnable task =
        () -> {
          try {
            end.run();
          } finally {
            places.release(1);
          }
        };
    callBack(task);
  }

  /** Runs something on the callback thread, where publishing does not wait for a place. */
  void callBack(Runnable task) {
    try {
      callbacks.execute(task);
    } catch (RejectedExecutionException e) {
      task.run(); // closed meanwhile, and no future may stay open
    }
  }

  /** Waits until every place is free. */
  boolean awaitEmpty(Duration patience) {
    if (Thread.currentThread() == callbackThread) {
      return false; // its own place is taken until it returns
    }
    boolean empty = places.takeAll(limit, patience);
    if (empty) {
      places.release(limit);
    }
    return empty;
  }

  @Override
  public void close() {
    callbacks.shutdown();
  }

  private static final class Places extends Semaphore {
    private static final long serialVersionUID = 1L;

    Places() {
      super(0);
    }

    void overdraw() {
      reducePermits(1);
    }

    boolean take(Duration patience) {
      return takeAll(1, patience);
    }

    boolean takeAll(int count, Duration patience) {
      try {
        return tryAcquire(count, patience.toNanos(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
  }
}
