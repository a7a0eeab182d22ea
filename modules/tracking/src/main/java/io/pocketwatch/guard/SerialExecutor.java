// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs tasks one after another, in order, on threads that others use as well. Thread-safe. */
final class SerialExecutor implements Executor {
  private static final Logger LOG = LoggerFactory.getLogger(SerialExecutor.class);

  private final Executor threads;
  private final Queue<Runnable> waiting = new ArrayDeque<>();
  private boolean running;

  SerialExecutor(Executor threads) {
    this.threads = threads;
  }

  @Override
  public void execute(Runnable task) {
    synchronized (waiting) {
      waiting.add(task);
      if (running) {
        return;
      }
      running = true;
    }
    threads.execute(this::runAll);
  }

  private void runAll() {
    while (true) {
      Runnable next;
      synchronized (waiting) {
        next = waiting.poll();
        if (next == null) {
          running = false;
          return;
        }
      }
      try {
        next.run();
      } catch (RuntimeException | Error e) { // or those behind it would wait for ever
        LOG.error("A task of the guard failed", e);
      }
      boolean unused = Thread.interrupted(); // by a handler, for itself
    }
  }
}
