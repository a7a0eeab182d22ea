// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.StoreException;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts now and then what consumers have begun and never ended. One of several loaders does so,
 * too, and whose that is nobody knows who asks this server for its health.
 */
final class UnendedWatch implements Runnable {
  /** Of what is held and due the store reads all each time. */
  static final Duration EVERY = Duration.ofMinutes(1);

  private static final Logger LOG = LoggerFactory.getLogger("serve");

  private final DelayStore store;
  private final Supplier<Duration> maxSilence;
  private volatile Map<String, Long> counts = Map.of();

  /**
   * @param maxSilence how long after they were due messages count
   */
  UnendedWatch(DelayStore store, Supplier<Duration> maxSilence) {
    this.store = store;
    this.maxSilence = maxSilence;
  }

  @Override
  public void run() {
    try {
      counts = Map.copyOf(store.unended(store.now().minus(maxSilence.get())));
    } catch (StoreException e) { // health says so anyway
      LOG.debug("The counts keep their values", e);
    }
  }

  /** By route, as last counted. */
  Map<String, Long> counts() {
    return counts;
  }
}
