// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Messages that a consumer has begun and nobody has ended. The store then looks at all that is held
 * and due, so it is asked once a minute at most, however often health is. Thread-safe.
 */
final class Unended {
  private static final Duration EVERY = Duration.ofMinutes(1);

  private final DelayStore store;
  private final Duration maxSilence;
  private volatile Map<String, Long> last = Map.of();
  private final AtomicLong next = new AtomicLong(System.nanoTime());

  /**
   * @param maxSilence how long after they were due they count
   */
  Unended(DelayStore store, Duration maxSilence) {
    this.store = store;
    this.maxSilence = maxSilence;
  }

  /**
   * A sentence for each route that has such messages, in the order of their names.
   *
   * @throws StoreException if the store does not answer
   */
  List<String> warnings() {
    long due = next.get();
    long now = System.nanoTime();
    // No monitor: the store is asked under it, and a virtual thread must not keep its carrier.
    if (now - due >= 0 && next.compareAndSet(due, now + EVERY.toNanos())) {
      last = store.unended(store.now().minus(maxSilence));
    }
    return new TreeMap<>(last)
        .entrySet().stream()
            .map(
                each ->
                    "messages of route %s that a consumer has begun and never ended: %d; see"
                            .formatted(each.getKey(), each.getValue())
                        + " 'pocketwatch release'")
            .toList();
  }
}
