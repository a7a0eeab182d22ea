// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

/** Threads that do the same; a failure of one is the caller's. */
final class Callers {
  private final List<CompletableFuture<Void>> ends;

  private Callers(List<CompletableFuture<Void>> ends) {
    this.ends = ends;
  }

  static Callers start(int count, Work work) {
    return new Callers(IntStream.range(0, count).mapToObj(i -> startOne(i, work)).toList());
  }

  private static CompletableFuture<Void> startOne(int number, Work work) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run(number);
                end.complete(null);
              } catch (Throwable e) {
                end.completeExceptionally(e);
              }
            },
            "caller-" + number);
    thread.setDaemon(true);
    thread.start();
    return end;
  }

  /** Waits until all have ended. */
  void join(Duration patience) throws Exception {
    try {
      CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
          .get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("a calling thread is still busy after " + patience, e);
    } catch (ExecutionException e) {
      throw new AssertionError("a calling thread failed", e.getCause());
    }
  }

  /** What each of them does. */
  @FunctionalInterface
  interface Work {
    void run(int number) throws Exception;
  }
}
