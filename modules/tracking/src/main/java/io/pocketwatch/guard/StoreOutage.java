// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/**
 * Asks a store that does not answer, with growing pauses, and then lets stopped channels consume
 * again. Thread-safe.
 */
final class StoreOutage {
  private static final Duration FIRST = Duration.ofMillis(500);
  private static final Duration LONGEST = Duration.ofSeconds(10);

  private final SettlingStore store;
  private final BiConsumer<Duration, Runnable> later;

  /** The channels that wait for the store, each with one message that waits. */
  private final Map<ChannelGuard, MessageKey> waiting = new HashMap<>();

  private boolean asking;
  private Duration pause = FIRST;

  /**
   * @param later runs a task after a pause
   */
  StoreOutage(SettlingStore store, BiConsumer<Duration, Runnable> later) {
    this.store = store;
    this.later = later;
  }

  synchronized void add(ChannelGuard channel, MessageKey key) {
    waiting.put(channel, key);
    askLater();
  }

  /** Notes that the store has answered a real call: the next pauses may be short again. */
  synchronized void answers() {
    pause = FIRST;
  }

  private synchronized void askLater() {
    if (!asking && !waiting.isEmpty()) {
      asking = true;
      later.accept(pause, this::ask);
      pause = Backoff.longer(pause, LONGEST);
    }
  }

  private void ask() {
    Map<ChannelGuard, MessageKey> all;
    synchronized (this) {
      all = Map.copyOf(waiting);
    }
    try {
      store.now();
    } catch (RuntimeException | Error e) {
      RuntimeException why = StoreCalls.problem(e);
      all.forEach((channel, key) -> channel.storeUnreachable(key, why));
      asked();
      return;
    }
    CompletableFuture<Void> unused =
        CompletableFuture.allOf(
                all.keySet().stream()
                    .map(each -> each.resume().thenAccept(done -> resumed(each, done)))
                    .toArray(CompletableFuture<?>[]::new))
            .thenRun(this::asked);
  }

  private synchronized void resumed(ChannelGuard channel, boolean done) {
    if (done) {
      waiting.remove(channel);
    }
  }

  private synchronized void asked() {
    asking = false;
    askLater();
  }
}
