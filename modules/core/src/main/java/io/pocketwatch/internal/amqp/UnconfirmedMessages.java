// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.amqp;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The unconfirmed messages of one channel, by publish sequence number. Thread-safe. */
final class UnconfirmedMessages {
  /** Numbers are added in order, so the oldest comes first. */
  private final Map<Long, UnconfirmedMessage> byNumber = new LinkedHashMap<>();

  /**
   * Adds a message.
   *
   * @param number its number, above all those added before
   */
  synchronized void add(long number, UnconfirmedMessage message) {
    byNumber.put(number, message);
  }

  synchronized boolean isEmpty() {
    return byNumber.isEmpty();
  }

  /** Takes a message out; null if it is no longer there. */
  synchronized @Nullable UnconfirmedMessage remove(long number) {
    return byNumber.remove(number);
  }

  /** Takes out all messages up to that number, oldest first. */
  synchronized List<UnconfirmedMessage> removeUpTo(long number) {
    List<UnconfirmedMessage> removed = new ArrayList<>();
    Iterator<Map.Entry<Long, UnconfirmedMessage>> each = byNumber.entrySet().iterator();
    while (each.hasNext()) {
      Map.Entry<Long, UnconfirmedMessage> next = each.next();
      if (next.getKey() > number) {
        break;
      }
      removed.add(next.getValue());
      each.remove();
    }
    return removed;
  }

  /** Takes out all messages of this kind, oldest first. */
  synchronized List<UnconfirmedMessage> removeIf(Predicate<UnconfirmedMessage> which) {
    List<UnconfirmedMessage> removed = new ArrayList<>();
    byNumber.values().removeIf(each -> which.test(each) && removed.add(each));
    return removed;
  }

  /** The oldest message of this kind, which stays; null if there is none. */
  synchronized @Nullable UnconfirmedMessage find(Predicate<UnconfirmedMessage> which) {
    return byNumber.values().stream().filter(which).findFirst().orElse(null);
  }
}
