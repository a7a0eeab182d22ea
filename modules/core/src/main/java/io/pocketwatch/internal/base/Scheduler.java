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
 * Where time and threads come from: the machine, or in unit tests an object that moves both by
 * hand. What waits goes through it too, or a test that has one thread would wait for itself.
 */
public interface Scheduler {
  /** The machine's time, and daemon threads. */
  Scheduler SYSTEM = new SystemScheduler();

  /** {@link System#nanoTime} */
  long nanoTime();

  /**
   * So many threads of that name, which share what they are given. Of {@link Integer#MAX_VALUE}
   * there are as many as have something to do.
   */
  ExecutorService threads(String name, int count);

  /** The same for what is to run later. */
  ScheduledExecutorService timer(String name, int count);

  /** Runs it in a thread of its own. */
  void start(String name, Runnable task);

  /** {@link Future#get(long, java.util.concurrent.TimeUnit)} */
  <T> T await(Future<T> future, Duration patience)
      throws InterruptedException, ExecutionException, TimeoutException;

  /** {@link Semaphore#tryAcquire(int, long, java.util.concurrent.TimeUnit)} */
  boolean acquire(Semaphore semaphore, int permits, Duration patience) throws InterruptedException;

  /**
   * Ends like the future, or after that time with a {@link TimeoutException}. The future itself,
   * for which others may wait too, stays open then.
   */
  <T> CompletableFuture<T> within(Duration patience, CompletableFuture<T> future);

  /** Hands over to the executor after the pause. */
  Executor after(Duration pause, Executor executor);

  /** A number from 0 to below the bound. */
  long random(long bound);
}
