// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import java.util.concurrent.ThreadFactory;

/** Threads that do not keep the JVM alive. */
final class Threads {
  private Threads() {}

  static ThreadFactory named(String what) {
    return task -> {
      Thread thread = new Thread(task, "pocketwatch-http-" + what);
      thread.setDaemon(true);
      return thread;
    };
  }
}
