// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

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
}
