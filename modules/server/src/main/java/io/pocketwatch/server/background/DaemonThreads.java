// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.background;

import java.util.concurrent.ThreadFactory;

/** Threads that do not keep the JVM alive. */
public final class DaemonThreads {
  private DaemonThreads() {}

  /** Threads that all bear this name. */
  public static ThreadFactory named(String name) {
    return task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
  }
}
