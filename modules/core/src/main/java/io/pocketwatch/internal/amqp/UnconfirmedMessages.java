// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.amqp;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one channel by the numbers that the broker answers for. Numbers are given in
 * order and answered nearly in order. So a ring from the oldest to the newest is cheaper than a
 * sorted map. Thread-safe.
 */
final class UnconfirmedMessages {
  private static final int FIRST_SIZE = 256;

  private @Nullable UnconfirmedMessage[] ring = new UnconfirmedMessage[FIRST_SIZE];

  /** The oldest number there is, if it is below {@link #end}. */
  private long begin;

  /** After the newest number. */
  private long end;

  /**
   * Adds one.
   *
   * @param number above all that were added before
   */
  synchronized void add(long number, UnconfirmedMessage message) {
    if (begin == end) {
      begin = number;
    }
    while (number - begin >= ring.length) {
      grow();
    }
    ring[at(number)] = message;
    end = number + 1;
  }

  /** Takes one out; null if it is not there any more. */
  synchronized @Nullable UnconfirmedMessage remove(long number) {
    if (number < begin || number >= end) {
      return null;
    }
    UnconfirmedMessage message = ring[at(number)];
    ring[at(number)] = null;
    toOldest();
    return message;
  }

  /** Takes out all up to that number, oldest first. */
  synchronized List<UnconfirmedMessage> removeUpTo(long number) {
    List<UnconfirmedMessage> removed = new ArrayList<>();
    for (; begin < end && begin <= number; begin++) {
      UnconfirmedMessage message = ring[at(begin)];
      if (message != null) {
        removed.add(message);
        ring[at(begin)] = null;
      }
    }
    toOldest();
    return removed;
  }

  /** Takes out all of these, oldest first. */
  synchronized List<UnconfirmedMessage> removeIf(Predicate<UnconfirmedMessage> which) {
    List<UnconfirmedMessage> removed = new ArrayList<>();
    for (long number = begin; number < end; number++) {
      UnconfirmedMessage message = ring[at(number)];
      if (message != null && which.test(message)) {
        removed.add(message);
        ring[at(number)] = null;
      }
    }
    toOldest();
    return removed;
  }

  /** The oldest of these, which stays; null if there is none. */
  synchronized @Nullable UnconfirmedMessage find(Predicate<UnconfirmedMessage> which) {
    for (long number = begin; number < end; number++) {
      UnconfirmedMessage message = ring[at(number)];
      if (message != null && which.test(message)) {
        return message;
      }
    }
    return null;
  }

  private void toOldest() {
    while (begin < end && ring[at(begin)] == null) {
      begin++;
    }
  }

  private void grow() {
    @Nullable UnconfirmedMessage[] larger = new UnconfirmedMessage[ring.length * 2];
    for (long number = begin; number < end; number++) {
      larger[(int) (number & larger.length - 1)] = ring[at(number)];
    }
    ring = larger;
  }

  private int at(long number) {
    return (int) (number & ring.length - 1);
  }
}
