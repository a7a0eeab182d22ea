// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import io.pocketwatch.guard.Arrival.Stage;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.LongSupplier;

/**
 * Limits how many messages of a channel are begun: a few, plus as many as it has ended in the last
 * third of a lease. So each is handled long before its lease is over. A message that is begun can
 * neither be cancelled nor be handled elsewhere. For the channel's events.
 */
final class LookAhead {
  private static final int FIRST = 8;

  private final LongSupplier nanoTime;
  private final int least;
  private final long window;
  private final Queue<Arrival> behind = new ArrayDeque<>();
  private int begun;
  private long since;
  private int endedInWindow;
  private int endedInLastWindow;

  /** For those who ask from other threads. */
  private volatile boolean full;

  /**
   * @param least how many it may be in any case, for those who answer for many at a time
   */
  LookAhead(LongSupplier nanoTime, Duration lease, int least) {
    this.nanoTime = nanoTime;
    this.least = Math.max(FIRST, least);
    this.window = lease.toNanos() / 3;
    this.since = nanoTime.getAsLong();
  }

  /** Whether it may be begun now; else it waits for its place. */
  boolean admits(Arrival arrived) {
    if (!arrived.counted && begun >= allowed()) {
      behind.add(arrived);
      full = true;
      return false;
    }
    count(arrived);
    return true;
  }

  /**
   * The message is no longer begun.
   *
   * @param handled whether its consumer has ended it
   */
  void leave(Arrival arrived, boolean handled) {
    if (arrived.counted) {
      arrived.counted = false;
      begun--;
    }
    if (handled) {
      turn();
      endedInWindow++;
    }
  }

  /** Those that may be begun now. */
  List<Arrival> next() {
    List<Arrival> next = new ArrayList<>();
    while (begun < allowed() && !behind.isEmpty()) {
      Arrival one = behind.remove();
      if (one.stage == Stage.WAITING) { // else it is given back
        count(one);
        next.add(one);
      }
    }
    full = !behind.isEmpty();
    return next;
  }

  /** Whether messages wait for those that are begun; from any thread. */
  boolean isFull() {
    return full;
  }

  private void count(Arrival arrived) {
    if (!arrived.counted) {
      arrived.counted = true;
      begun++;
    }
  }

  private int allowed() {
    turn();
    return least + Math.max(endedInWindow, endedInLastWindow);
  }

  private void turn() {
    long past = nanoTime.getAsLong() - since;
    if (past >= window) {
      endedInLastWindow = past < 2 * window ? endedInWindow : 0;
      endedInWindow = 0;
      since += past - past % window;
    }
  }
}
