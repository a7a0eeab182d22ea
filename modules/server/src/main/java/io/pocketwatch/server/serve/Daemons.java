// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import java.util.concurrent.ThreadFactory;

/** Threads that do not keep the JVM alive. */
final class Daemons {
  private Daemons() {}

  static ThreadFactory named(String name) {
    return task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
  }
}
