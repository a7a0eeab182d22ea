// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.harness;

/** Counts what is under way. */
final class Unwritten {
  private long count;

  synchronized void more() {
    count++;
  }

  synchronized void less(int by) {
    count -= by;
    if (count == 0) {
      notifyAll();
    }
  }

  synchronized void awaitNone() throws InterruptedException {
    while (count > 0) {
      wait();
    }
  }
}
