// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * While open, Ctrl-C interrupts the thread that opened it and lets it tidy up, for a while, before
 * the JVM ends.
 */
public final class TidyExit implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 20;

  private final Thread worker = Thread.currentThread();
  private final CountDownLatch tidy = new CountDownLatch(1);
  private final Thread hook = new Thread(this::interruptAndWait, "pocketwatch-demo-end");

  private volatile boolean asked;

  public TidyExit() {
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Whether the JVM is ending; then whatever goes wrong is no news. */
  public boolean asked() {
    return asked;
  }

  private void interruptAndWait() {
    asked = true;
    worker.interrupt();
    try {
      tidy.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    tidy.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is ending already, and the hook is why we are here.
    }
  }
}
