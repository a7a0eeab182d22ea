// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.store.MessageKey;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Tells a message that closes its channel from a broker that is going away.
 *
 * <p>The culprit is a message that, sent alone, has twice closed its channel at once, with the same
 * words. The connection stayed open, and another message passed meanwhile. An outage closes the
 * connection, or lets nothing pass, or has other words. What is not proved yet is remembered, so
 * that a later message may be the one that passes. Thread-safe.
 */
final class PoisonDetector {
  private static final int REMEMBERED = 10_000;

  private final Map<MessageKey, Strike> strikes =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<MessageKey, Strike> eldest) {
          return size() > REMEMBERED;
        }
      };
  private long passes;

  /** A message was confirmed. */
  synchronized void passed(MessageKey key) {
    passes++;
    strikes.remove(key);
  }

  /** How many have passed so far. */
  synchronized long passes() {
    return passes;
  }

  /**
   * A message closed its channel, alone.
   *
   * @param since {@link #passes} when the search that led to it began
   * @return whether it is the culprit
   */
  synchronized boolean struck(MessageKey key, String words, long since) {
    Strike before = strikes.get(key);
    if (before == null || !before.words.equals(words)) {
      strikes.put(key, new Strike(words, since));
      return false;
    }
    if (passes > before.since) {
      strikes.remove(key);
      return true;
    }
    return false;
  }

  private record Strike(String words, long since) {}
}
