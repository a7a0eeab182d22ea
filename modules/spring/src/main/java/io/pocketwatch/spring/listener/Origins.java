// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import com.rabbitmq.client.Channel;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.connection.ChannelProxy;
import org.springframework.amqp.rabbit.connection.Connection;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;

/** Which connection factory a channel is of: a channel does not say it. Thread-safe. */
final class Origins {
  private final Set<ConnectionFactory> watched =
      Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));
  private final Map<com.rabbitmq.client.Connection, ConnectionFactory> byConnection =
      Collections.synchronizedMap(new WeakHashMap<>());

  /** Learns of its connections from now on, and of the one that it keeps, if it is open already. */
  void watch(ConnectionFactory factory) {
    if (watched.add(factory)) {
      factory.addConnectionListener(connection -> learn(connection, factory));
    }
  }

  private void learn(@Nullable Connection connection, ConnectionFactory factory) {
    com.rabbitmq.client.Connection real = connection == null ? null : connection.getDelegate();
    if (real != null) { // as Spring AMQP 3 allows
      byConnection.put(real, factory);
    }
  }

  /** Null if it is of none that was watched. */
  @Nullable ConnectionFactory of(Channel channel) {
    Channel real = channel instanceof ChannelProxy proxy ? proxy.getTargetChannel() : channel;
    return real == null ? null : byConnection.get(real.getConnection());
  }
}
