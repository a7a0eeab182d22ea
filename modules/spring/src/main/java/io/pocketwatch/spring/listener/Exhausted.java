// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import com.rabbitmq.client.Channel;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * Channels on which a message has waited for the store, or for its time, as long as it may. What
 * the broker had sent ahead has waited as long, and does not wait once more: the broker sees a
 * consumer timeout coming. What was returned since is not among it when it comes again.
 */
final class Exhausted {
  private final Map<Channel, Wait> channels = new WeakHashMap<>();

  /**
   * The last wait of a channel: up to which tag others waited with it, and what went back since.
   */
  private record Wait(long before, Set<Object> returned) {}

  synchronized boolean hasWaited(Channel channel, long tag) {
    Wait last = channels.get(channel);
    return last != null && tag < last.before;
  }

  /** Whether it was sent after the channel's last wait, whatever its tag. */
  synchronized boolean cameBack(Channel channel, Object id) {
    Wait last = channels.get(channel);
    return last != null && last.returned.contains(id);
  }

  synchronized void gaveUp(Channel channel, long tag, int prefetch) {
    if (!hasWaited(channel, tag)) {
      waited(channel, tag, prefetch);
    }
  }

  synchronized void waited(Channel channel, long tag, int prefetch) {
    channels.put(channel, new Wait(tag + prefetch, new HashSet<>()));
  }

  /** After {@link #waited}, or while that is remembered. */
  synchronized void returns(Channel channel, Object id) {
    Wait last = channels.get(channel);
    if (last != null) {
      last.returned.add(id);
    }
  }
}
