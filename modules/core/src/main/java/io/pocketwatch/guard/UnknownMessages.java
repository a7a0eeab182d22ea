// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import io.pocketwatch.store.MessageKey;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Delivered messages that the store did not know: how many, and the last of them. Thread-safe. */
public final class UnknownMessages {
  private static final int REMEMBERED = 1_000;

  private final Deque<MessageKey> last = new ArrayDeque<>();
  private long count;

  UnknownMessages() {}

  /** Returns how many there are with it. */
  synchronized long add(MessageKey key) {
    count++;
    last.addLast(key);
    if (last.size() > REMEMBERED) {
      last.removeFirst();
    }
    return count;
  }

  /** Since the guard was made. */
  public synchronized long count() {
    return count;
  }

  /** The last 1,000, latest last. */
  public synchronized List<MessageKey> last() {
    return List.copyOf(last);
  }
}
