// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The machine's time and threads. */
final class SystemScheduler implements Scheduler {
  private static final long IDLE_SECONDS = 10;

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public ExecutorService threads(String name, int count) {
    return count == Integer.MAX_VALUE
        ? Executors.newCachedThreadPool(Threads.named(name))
        : withoutIdle(
            new ThreadPoolExecutor(
                count, count, 0, SECONDS, new LinkedBlockingQueue<>(), Threads.named(name)));
  }

  @Override
  public ScheduledExecutorService timer(String name, int count) {
    ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(count, Threads.named(name));
    timer.setRemoveOnCancelPolicy(true); // a cancelled task may be years ahead
    return withoutIdle(timer);
  }

  /** Lets idle threads end; one is left while a delayed task waits. */
  private static <P extends ThreadPoolExecutor> P withoutIdle(P pool) {
    pool.setKeepAliveTime(IDLE_SECONDS, SECONDS);
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  @Override
  public void start(String name, Runnable task) {
    Threads.named(name).newThread(task).start();
  }

  @Override
  public <T> T await(Future<T> future, Duration patience)
      throws InterruptedException, ExecutionException, TimeoutException {
    return future.get(patience.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public boolean acquire(Semaphore semaphore, int permits, Duration patience)
      throws InterruptedException {
    return semaphore.tryAcquire(permits, patience.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public <T> CompletableFuture<T> within(Duration patience, CompletableFuture<T> future) {
    return future.copy().orTimeout(patience.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public Executor after(Duration pause, Executor executor) {
    return CompletableFuture.delayedExecutor(pause.toNanos(), TimeUnit.NANOSECONDS, executor);
  }

  @Override
  public long random(long bound) {
    return ThreadLocalRandom.current().nextLong(bound);
  }
}
