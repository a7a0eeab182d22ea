// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import io.pocketwatch.guard.Arrival.Stage;
import java.util.List;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The messages that consumers have, by their tags. The thread that takes a message out answers for
 * it, once. Thread-safe.
 */
final class HandedOut {
  private final ConcurrentNavigableMap<Long, Arrival> byTag = new ConcurrentSkipListMap<>();
  private final AtomicLong lastTag = new AtomicLong();

  /**
   * Adds a message that goes to its consumer now.
   *
   * @param started whether its handler begins with that
   */
  void add(Arrival arrived, boolean started) {
    arrived.started = started;
    arrived.tagForConsumer = lastTag.incrementAndGet();
    putBack(arrived);
  }

  /** Takes a message out; false if another thread has. */
  boolean take(Arrival arrived) {
    return byTag.remove(arrived.tagForConsumer, arrived);
  }

  /** Puts a message back, which is still to be answered. */
  void putBack(Arrival arrived) {
    arrived.stage = Stage.HANDLED;
    byTag.put(arrived.tagForConsumer, arrived);
  }

  /** Its handler begins; false if somebody else has taken it. */
  boolean started(Arrival arrived) {
    synchronized (arrived) { // either it is started, or taken unstarted
      arrived.started = byTag.get(arrived.tagForConsumer) == arrived;
      return arrived.started;
    }
  }

  /** Takes a message out, unless its handler has begun. */
  boolean takeUnstarted(Arrival arrived) {
    synchronized (arrived) {
      return !arrived.started && take(arrived);
    }
  }

  boolean isEmpty() {
    return byTag.isEmpty();
  }

  @Nullable Arrival get(long tag) {
    return byTag.get(tag);
  }

  /** Those that a tag means. Of several, only those of this connection. */
  List<Arrival> meant(long tag, boolean multiple) {
    if (!multiple) {
      Arrival one = byTag.get(tag);
      return one == null ? List.of() : List.of(one);
    }
    return (tag == 0 ? byTag : byTag.headMap(tag, true))
        .values().stream().filter(one -> !one.lost).toList();
  }
}
