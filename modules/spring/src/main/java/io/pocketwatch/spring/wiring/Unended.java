// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Messages that a consumer has begun and nobody has ended. The store then looks at all that is held
 * and due, so it is asked once a minute at most, however often health is. Thread-safe.
 */
final class Unended {
  private static final Duration EVERY = Duration.ofMinutes(1);

  private final DelayStore store;
  private final Duration maxSilence;
  private Map<String, Long> last = Map.of();
  private long next = System.nanoTime();

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
  synchronized List<String> warnings() {
    if (System.nanoTime() - next >= 0) {
      last = store.unended(store.now().minus(maxSilence));
      next = System.nanoTime() + EVERY.toNanos();
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
