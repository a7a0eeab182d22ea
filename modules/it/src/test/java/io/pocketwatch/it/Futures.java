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
import java.util.function.Supplier;
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

  /**
   * Keeps the thread that ends futures busy from now on, until the latch opens. One that is
   * confirmed before it is asked for its receipt would make us the slow ones: then once more.
   */
  static CompletableFuture<Void> hold(
      Supplier<CompletableFuture<PublishReceipt>> publish, CountDownLatch latch) {
    Thread here = Thread.currentThread();
    CountDownLatch held = new CountDownLatch(1);
    CompletableFuture<Void> first;
    do {
      first =
          publish
              .get()
              .thenAccept(
                  receipt -> {
                    if (Thread.currentThread() != here) {
                      held.countDown();
                      await(latch);
                    }
                  });
    } while (first.isDone());
    await(held);
    return first;
  }

  private static void await(CountDownLatch latch) {
    try {
      if (!latch.await(1, TimeUnit.MINUTES)) {
        throw new AssertionError("still hanging after a minute");
      }
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted", e);
    }
  }
}
