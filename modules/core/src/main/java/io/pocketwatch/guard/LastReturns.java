// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.Headers;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * When messages were last given back to their queues from here, by their ids; for those who build
 * listeners. Any consumer of the queue may be sent them again, so all of them share one. Those of
 * the last 10,000 returns are known. Thread-safe.
 */
public final class LastReturns {
  private static final int MOST = 10_000;

  private record Copy(String queue, String id) {}

  private final Map<Copy, Long> nanoTimes =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Copy, Long> eldest) {
          return size() > MOST;
        }
      };

  /** Gives a message back now; nothing is known of one that has no id. */
  public synchronized void add(String queue, BasicProperties properties) {
    Copy copy = copy(queue, properties);
    if (copy != null) {
      nanoTimes.remove(copy); // or it would keep its old place among the eldest
      nanoTimes.put(copy, System.nanoTime());
    }
  }

  /**
   * Whether it was given back at that time or after it.
   *
   * @param nanoTime of {@link System#nanoTime}
   */
  public synchronized boolean since(String queue, BasicProperties properties, long nanoTime) {
    Copy copy = copy(queue, properties);
    Long last = copy == null ? null : nanoTimes.get(copy);
    return last != null && last - nanoTime >= 0;
  }

  private static @Nullable Copy copy(String queue, BasicProperties properties) {
    Map<String, Object> headers = properties.getHeaders();
    Object id = headers == null ? null : headers.get(Headers.ID);
    return id == null || !Tracked.isName(id.toString()) ? null : new Copy(queue, id.toString());
  }
}
