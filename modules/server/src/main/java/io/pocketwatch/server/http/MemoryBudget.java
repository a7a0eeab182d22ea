// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.http;

import java.util.concurrent.atomic.AtomicLong;

/** Bytes that all requests together may have in memory, whoever sends them. */
final class MemoryBudget {
  private final AtomicLong free;

  MemoryBudget(long bytes) {
    this.free = new AtomicLong(bytes);
  }

  /** Whether there were so many; nothing is taken if there were fewer. */
  boolean take(long bytes) {
    while (true) {
      long before = free.get();
      if (before < bytes) {
        return false;
      }
      if (free.compareAndSet(before, before - bytes)) {
        return true;
      }
    }
  }

  void giveBack(long bytes) {
    free.addAndGet(bytes);
  }
}
