// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;

/**
 * The source of time and threads: the machine, or in unit tests an object that moves both by hand.
 * Waits go through it, too, or a test with one thread would wait for itself.
 */
public interface Scheduler {
  /** The machine's time, and daemon threads. */
  Scheduler SYSTEM = new SystemScheduler();

  /** {@link System#nanoTime} */
  long nanoTime();

  /**
   * An executor with at most so many threads of that name. With {@link Integer#MAX_VALUE} it has as
   * many as there are tasks.
   */
  ExecutorService threads(String name, int count);

  /** As {@link #threads}, for delayed tasks. */
  ScheduledExecutorService timer(String name, int count);

  /** Runs the task in a thread of its own. */
  void start(String name, Runnable task);

  /** {@link Future#get(long, java.util.concurrent.TimeUnit)} */
  <T> T await(Future<T> future, Duration patience)
      throws InterruptedException, ExecutionException, TimeoutException;

  /** {@link Semaphore#tryAcquire(int, long, java.util.concurrent.TimeUnit)} */
  boolean acquire(Semaphore semaphore, int permits, Duration patience) throws InterruptedException;

  /**
   * Ends like the future, or after that time with a {@link TimeoutException}. The future itself
   * then stays open, since others may wait for it.
   */
  <T> CompletableFuture<T> within(Duration patience, CompletableFuture<T> future);

  /** An executor that passes tasks on to the other one after the pause. */
  Executor after(Duration pause, Executor executor);

  /** A random number from 0, inclusive, to the bound, exclusive. */
  long random(long bound);
}
