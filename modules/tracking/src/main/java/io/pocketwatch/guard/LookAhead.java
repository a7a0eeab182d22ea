// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import java.time.Duration;

/**
 * How many messages of a consumer may be begun at a time. These are a few, and as many as it has
 * ended in the last third of a lease. So each is handled long before its lease is over. What is
 * begun can neither be cancelled nor be handled elsewhere. Not thread-safe.
 */
final class LookAhead {
  private static final int FIRST = 8;

  private final int least;
  private final long window;
  private long since;
  private int now;
  private int before;

  /**
   * @param least how many it may be in any case, for those who answer for many at a time
   */
  LookAhead(Duration lease, int least) {
    this.least = Math.max(FIRST, least);
    this.window = lease.toNanos() / 3;
    this.since = System.nanoTime();
  }

  int allowed() {
    turn();
    return least + Math.max(now, before);
  }

  void ended() {
    turn();
    now++;
  }

  private void turn() {
    long past = System.nanoTime() - since;
    if (past >= window) {
      before = past < 2 * window ? now : 0;
      now = 0;
      since += past - past % window;
    }
  }
}
