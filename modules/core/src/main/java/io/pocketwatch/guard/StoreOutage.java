// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Asks a store that does not answer with growing pauses, and has those consume again who stopped
 * for it. Thread-safe.
 */
final class StoreOutage {
  private static final Duration FIRST = Duration.ofMillis(500);
  private static final Duration LONGEST = Duration.ofSeconds(10);

  /** Runs a task after a pause. */
  @FunctionalInterface
  interface Timer {
    void later(Duration pause, Runnable task);
  }

  private final SettlingStore store;
  private final Timer timer;

  /** Each with a message that waits for it. */
  private final Map<ChannelGuard, MessageKey> waiting = new HashMap<>();

  private boolean asking;
  private Duration pause = FIRST;

  StoreOutage(SettlingStore store, Timer timer) {
    this.store = store;
    this.timer = timer;
  }

  synchronized void add(ChannelGuard channel, MessageKey key) {
    waiting.put(channel, key);
    askLater();
  }

  /** It does more than tell the time: the next pauses may be short again. */
  synchronized void answers() {
    pause = FIRST;
  }

  private synchronized void askLater() {
    if (!asking && !waiting.isEmpty()) {
      asking = true;
      timer.later(pause, this::ask);
      pause = Backoff.longer(pause, LONGEST);
    }
  }

  private void ask() {
    Map<ChannelGuard, MessageKey> all;
    synchronized (this) {
      asking = false;
      all = Map.copyOf(waiting);
    }
    try {
      store.now();
      all.keySet().stream().filter(ChannelGuard::resume).forEach(this::resumed);
    } catch (RuntimeException e) {
      all.forEach((channel, key) -> channel.storeUnreachable(key, e));
    }
    askLater();
  }

  private synchronized void resumed(ChannelGuard channel) {
    waiting.remove(channel);
  }
}
