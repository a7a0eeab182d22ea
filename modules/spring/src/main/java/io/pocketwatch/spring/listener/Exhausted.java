// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import com.rabbitmq.client.Channel;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * Channels on which a message has waited for the store as long as it may. What the broker had sent
 * ahead has waited as long, and does not wait once more: the broker sees a consumer timeout coming.
 */
final class Exhausted {
  private final Map<Channel, Long> waitedBefore = new WeakHashMap<>();

  synchronized boolean hasWaited(Channel channel, long tag) {
    return tag < waitedBefore.getOrDefault(channel, 0L);
  }

  synchronized void gaveUp(Channel channel, long tag, int prefetch) {
    if (tag >= waitedBefore.getOrDefault(channel, 0L)) {
      waitedBefore.put(channel, tag + prefetch);
    }
  }
}
