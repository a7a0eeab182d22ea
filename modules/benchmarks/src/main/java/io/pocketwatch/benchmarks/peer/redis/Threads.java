// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.redis;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/** Ends threads before the connections they use. */
final class Threads {
  private static final int LIMIT_SECONDS = 5;

  private Threads() {}

  /** Interrupts them, and waits until they have ended. */
  static void end(ExecutorService threads) {
    threads.shutdownNow();
    await(threads);
  }

  /** Lets them end what they are at, and waits for it. */
  static void finish(ExecutorService threads) {
    threads.shutdown();
    await(threads);
  }

  private static void await(ExecutorService threads) {
    try {
      threads.awaitTermination(LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
