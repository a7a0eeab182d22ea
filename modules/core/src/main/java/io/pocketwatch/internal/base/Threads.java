// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Named daemon threads: ours must not keep an application alive, and should be known in a dump. */
public final class Threads {
  private Threads() {}

  /** Threads of that name with a number each. */
  public static ThreadFactory named(String name) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  /** Waits until it has ended, for at most so long; not if interrupted, which stays set. */
  public static void join(Thread thread, Duration patience) {
    try {
      thread.join(Math.max(1, patience.toMillis()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
