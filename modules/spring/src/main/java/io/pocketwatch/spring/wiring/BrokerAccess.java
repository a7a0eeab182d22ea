// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.ConnectionFactory;
import java.util.List;
import org.springframework.amqp.rabbit.connection.AbstractConnectionFactory;

/**
 * How to reach the broker of the application, for connections of our own beside Spring's.
 *
 * @param factory credentials, virtual host, TLS, and the address if there is only one
 * @param addresses to be tried in order; empty for that of the factory
 */
public record BrokerAccess(ConnectionFactory factory, List<Address> addresses) {
  public BrokerAccess {
    addresses = List.copyOf(addresses);
  }

  /**
   * That of Spring's connection factory. One with several addresses does not give them away: a
   * cluster's need a bean of this type.
   *
   * @throws IllegalStateException if it is of another kind, such as a routing one
   */
  public static BrokerAccess of(
      org.springframework.amqp.rabbit.connection.ConnectionFactory connectionFactory) {
    if (connectionFactory instanceof AbstractConnectionFactory spring) {
      return new BrokerAccess(spring.getRabbitConnectionFactory(), List.of());
    }
    throw new IllegalStateException(
        "a %s does not say where its broker is; define a bean of type %s"
            .formatted(connectionFactory.getClass().getName(), BrokerAccess.class.getName()));
  }
}
