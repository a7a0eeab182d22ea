// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import io.pocketwatch.internal.base.Threads;
import io.pocketwatch.store.MessageKey;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Messages whose channel was closed when they were sent; from then on one after another. */
final class Suspects implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Suspects.class);
  private static final int REMEMBERED = 10_000;

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

  private final ExecutorService turn =
      Executors.newSingleThreadExecutor(Threads.named("pocketwatch-suspects"));

  void add(MessageKey key) {
    keys.add(key);
  }

  void remove(MessageKey key) {
    keys.remove(key);
  }

  boolean contains(MessageKey key) {
    return keys.contains(key);
  }

  /** Sends it when the one before has been answered. */
  <T> CompletableFuture<T> inTurn(Supplier<CompletableFuture<T>> send) {
    CompletableFuture<T> result = new CompletableFuture<>();
    try {
      turn.execute(
          () -> {
            CompletableFuture<T> sent;
            try {
              sent = send.get();
            } catch (RuntimeException | Error e) {
              result.completeExceptionally(e);
              return;
            }
            CompletableFuture<T> unused =
                sent.whenComplete(
                    (value, error) -> {
                      if (error == null) {
                        result.complete(value);
                      } else {
                        result.completeExceptionally(error);
                      }
                    });
            try {
              sent.join();
            } catch (CompletionException e) {
              LOG.debug("The next one may go", e);
            }
          });
    } catch (RejectedExecutionException e) {
      result.completeExceptionally(e);
    }
    return result;
  }

  @Override
  public void close() {
    turn.shutdown(); // what waits fails, as the publisher is closed
  }
}
