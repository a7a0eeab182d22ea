// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import com.rabbitmq.client.Channel;
import io.pocketwatch.guard.LastReturns;
import io.pocketwatch.guard.PastWait;
import java.util.Map;
import java.util.WeakHashMap;
import org.springframework.amqp.core.Message;

/**
 * Channels on which a message has waited for the store, for its time, or to be held again, as long
 * as it may. What the broker had sent ahead has waited as long, and does not wait once more: the
 * broker sees a consumer timeout coming. What was returned since, by any of these channels, is not
 * among it when it comes again.
 */
final class Exhausted {
  private final Map<Channel, PastWait> channels = new WeakHashMap<>();
  private final LastReturns returns = new LastReturns();

  synchronized boolean hasWaited(Channel channel, String queue, Message message) {
    PastWait last = channels.get(channel);
    long tag = message.getMessageProperties().getDeliveryTag();
    return last != null && last.includes(queue, tag, Wire.headers(message), returns);
  }

  synchronized void waited(Channel channel, Message message, int prefetch) {
    long tag = message.getMessageProperties().getDeliveryTag();
    channels.put(channel, PastWait.of(tag, prefetch));
  }

  void returns(String queue, Message message) {
    returns.add(queue, Wire.headers(message));
  }
}
