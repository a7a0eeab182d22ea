// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.GetResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Takes what is there already. */
record Looking(Channel channel, String queue) implements GuardedReceive.Source {
  @Override
  public @Nullable Delivery next() throws IOException {
    GetResponse there = channel.basicGet(queue, false);
    return there == null
        ? null
        : new Delivery(there.getEnvelope(), there.getProps(), there.getBody());
  }

  @Override
  public void stop() {}

  @Override
  public void close() {}
}
