// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Makes the end of the JVM (SIGTERM, Ctrl-C) wait until the daemon has put its work in order. */
final class GracefulExit implements AutoCloseable {
  /** Longer than a loader and a publisher may take for the answers they wait for. */
  private static final long PATIENCE_SECONDS = 180;

  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch done = new CountDownLatch(1);
  private final Thread hook = new Thread(this::askAndWait, "pocketwatch-end");

  GracefulExit() {
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Returns when the JVM is to end. */
  void await() throws InterruptedException {
    asked.await();
  }

  private void askAndWait() {
    asked.countDown();
    try {
      if (!done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        System.err.println("pocketwatch: ends although its work is not in order");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    done.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is ending already, by this hook.
    }
  }
}
