// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Waits for futures that must not hang. */
final class Futures {
  /** The confirm timeout of {@link World#routes} and the two seconds allowed on top of it. */
  static final Duration PATIENCE = Duration.ofSeconds(5);

  private Futures() {}

  /** The value, within {@link #PATIENCE}. */
  static <T> T get(CompletableFuture<T> future) {
    try {
      return future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("still hanging after " + PATIENCE, e);
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError("ended with an exception", e);
    }
  }

  /** What the future failed with, within {@link #PATIENCE}. */
  static Throwable failure(CompletableFuture<?> future) {
    try {
      Object value = future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      throw new AssertionError("should have failed, but ended with " + value);
    } catch (TimeoutException e) {
      throw new AssertionError("still hanging after " + PATIENCE, e);
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted", e);
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  /** Calls that many times, then waits for all of it. */
  static List<PublishReceipt> all(int count, IntFunction<CompletableFuture<PublishReceipt>> call) {
    return getAll(IntStream.range(0, count).mapToObj(call).toList());
  }

  static <T> List<T> getAll(Collection<CompletableFuture<T>> futures) {
    return futures.stream().map(Futures::get).collect(Collectors.toList());
  }

  static List<PublishOutcome> outcomes(Collection<PublishReceipt> receipts) {
    return receipts.stream().map(PublishReceipt::outcome).toList();
  }

  /** Waits, but on another thread only: for a continuation that is to be slow. */
  static void awaitElsewhere(Thread here, CountDownLatch latch) {
    if (Thread.currentThread() == here) {
      return;
    }
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
