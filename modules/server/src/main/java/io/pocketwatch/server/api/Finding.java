// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Reads stored messages with their bodies, a few at a time: how large one is shows when it is in
 * memory.
 */
final class Finding {
  private static final int SHARE_OF_HEAP = 8;
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

  private final Backend backend;
  private final Semaphore places;

  Finding(Backend backend) {
    this.backend = backend;
    long largest = Math.max(1, backend.routes().publisher().maxBodySize());
    long places = Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP / largest;
    this.places = new Semaphore((int) Math.min(Integer.MAX_VALUE, Math.max(1, places)));
  }

  /**
   * @throws ProblemException if others take all places for long
   */
  Optional<StoredMessage> find(MessageKey key) {
    boolean placed = false;
    try {
      placed = places.tryAcquire(LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
      if (!placed) {
        throw ProblemException.overloaded();
      }
      return backend.store().find(key);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ProblemException.overloaded();
    } finally {
      if (placed) {
        places.release();
      }
    }
  }
}
