// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs tasks one after another, in order, on threads that others use as well. Thread-safe. */
final class SerialExecutor implements Executor {
  private static final Logger LOG = LoggerFactory.getLogger(SerialExecutor.class);

  /** The executors to start when this thread has handed over all its tasks. */
  private static final ThreadLocal<@Nullable Set<SerialExecutor>> TOGETHER = new ThreadLocal<>();

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
    Set<SerialExecutor> together = TOGETHER.get();
    if (together == null) {
      begin();
    } else {
      together.add(this);
    }
  }

  private void begin() {
    threads.execute(this::runAll);
  }

  /** Starts executors only after the tasks are given to them: each wakes once for all of them. */
  static void together(Runnable giving) {
    Set<SerialExecutor> begun = new LinkedHashSet<>();
    TOGETHER.set(begun);
    try {
      giving.run();
    } finally {
      TOGETHER.remove();
      begun.forEach(SerialExecutor::begin);
    }
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
      } catch (RuntimeException | Error e) { // or the tasks behind it would wait for ever
        LOG.error("A task of the guard failed", e);
      }
      boolean unused = Thread.interrupted(); // by a handler, for itself
    }
  }
}
