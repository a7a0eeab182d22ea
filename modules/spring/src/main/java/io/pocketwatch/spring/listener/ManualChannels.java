// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import com.rabbitmq.client.Channel;
import java.util.IdentityHashMap;

/** One {@link ManualChannel} per channel, until that is closed. Thread-safe. */
final class ManualChannels {
  private final IdentityHashMap<Channel, ManualChannel> channels = new IdentityHashMap<>();

  ManualChannel of(Channel channel) {
    ManualChannel manual;
    synchronized (channels) {
      manual = channels.get(channel);
      if (manual != null) {
        return manual;
      }
      manual = new ManualChannel(channel);
      channels.put(channel, manual);
    }
    ManualChannel added = manual;
    channel.addShutdownListener(cause -> remove(channel, added)); // at once if closed already
    return manual;
  }

  private void remove(Channel channel, ManualChannel manual) {
    synchronized (channels) {
      channels.remove(channel);
    }
    manual.closed();
  }
}
