// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.store.MessageKey;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;

/**
 * Messages whose channel was closed when they were sent. From then on they are sent one by one,
 * each after the answer for the one before. Thread-safe.
 */
final class PoisonCandidates implements AutoCloseable {
  private static final int REMEMBERED = 10_000;

  /** How long the confirm of another message shows that the broker takes messages. */
  private static final Duration RECENT_CONFIRM = Duration.ofSeconds(30);

  /** Another process may send one, so not all are removed: the oldest makes way for a new one. */
  private final Set<MessageKey> keys =
      Collections.synchronizedSet(
          Collections.newSetFromMap(
              new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<MessageKey, Boolean> eldest) {
                  return size() > REMEMBERED;
                }
              }));

  private final Scheduler time;
  private final ExecutorService turns;
  private volatile long lastConfirmed;
  private CompletableFuture<?> last = CompletableFuture.completedFuture(null);

  PoisonCandidates(Scheduler time) {
    this.time = time;
    this.turns = time.threads("pocketwatch-suspects", 1);
    this.lastConfirmed = time.nanoTime() - RECENT_CONFIRM.toNanos();
  }

  void add(MessageKey key) {
    keys.add(key);
  }

  void remove(MessageKey key) {
    keys.remove(key);
  }

  boolean contains(MessageKey key) {
    return keys.contains(key);
  }

  void confirmed(MessageKey key) {
    lastConfirmed = time.nanoTime();
    keys.remove(key);
  }

  /** Whether the broker has confirmed others lately. */
  boolean othersPass() {
    return time.nanoTime() - lastConfirmed < RECENT_CONFIRM.toNanos();
  }

  /** Sends a message after the answer for the one before. Fails if this is closed by then. */
  synchronized <T> CompletableFuture<T> inTurn(Supplier<CompletableFuture<T>> send) {
    CompletableFuture<T> sent =
        last.handle((answer, error) -> error).thenComposeAsync(error -> send.get(), turns);
    last = sent;
    return sent;
  }

  @Override
  public void close() {
    turns.shutdown(); // what waits fails, as the publisher is closed
  }
}
