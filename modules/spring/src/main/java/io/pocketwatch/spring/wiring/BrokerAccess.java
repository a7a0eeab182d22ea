// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.AddressResolver;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.spring.internal.SpringInternals;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import org.springframework.amqp.rabbit.connection.AbstractConnectionFactory;
import org.springframework.amqp.rabbit.connection.AbstractRoutingConnectionFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;

/**
 * How to reach the broker of the application, for connections of our own beside Spring's.
 *
 * @param factory credentials, virtual host, TLS, and the address if there is only one
 * @param addresses finds the addresses to try, for each connection; none for the factory's own
 */
public record BrokerAccess(ConnectionFactory factory, AddressResolver addresses) {
  private static final String DEFINE =
      "define a bean of type " + BrokerAccess.class.getName() + " for the broker that is to hold";

  /**
   * The access of Spring's connection factory, with its addresses or its address resolver; of a
   * routing one, that of its default target. A factory that does not say where its broker is, such
   * as a mock, counts as a broker that is away.
   *
   * @throws IllegalStateException if it is a routing factory without a default target
   */
  public static BrokerAccess of(
      org.springframework.amqp.rabbit.connection.ConnectionFactory connectionFactory) {
    if (connectionFactory instanceof AbstractRoutingConnectionFactory routing) {
      return of(defaultTarget(routing));
    }
    if (connectionFactory instanceof AbstractConnectionFactory spring
        && spring.getRabbitConnectionFactory() != null) { // else it is a mock
      return new BrokerAccess(spring.getRabbitConnectionFactory(), () -> addresses(spring));
    }
    return new BrokerAccess(
        new UnknownBroker(
            "a %s does not say where its broker is; %s delayed messages"
                .formatted(connectionFactory.getClass().getName(), DEFINE)),
        List::of);
  }

  /** The addresses of now: an application may set others, and a resolver may find others. */
  private static List<Address> addresses(AbstractConnectionFactory spring) throws IOException {
    try {
      return SpringInternals.ADDRESSES.of(spring) instanceof List<?> given
          ? given.stream().map(Address.class::cast).toList()
          : List.of();
    } catch (UndeclaredThrowableException e) {
      throw new IOException("its addresses cannot be told", e.getCause());
    }
  }

  private static org.springframework.amqp.rabbit.connection.ConnectionFactory defaultTarget(
      AbstractRoutingConnectionFactory routing) {
    if (SpringInternals.DEFAULT_TARGET.of(routing)
        instanceof org.springframework.amqp.rabbit.connection.ConnectionFactory target) {
      return target;
    }
    throw new IllegalStateException(
        "a %s without a default target does not say which of its brokers is to hold delayed"
                .formatted(routing.getClass().getName())
            + " messages; set its default target, or "
            + DEFINE
            + " them");
  }

  /**
   * The connection factory of an application that Spring would inject.
   *
   * @throws IllegalStateException if there are several, and none of them is {@code @Primary}
   */
  public static org.springframework.amqp.rabbit.connection.ConnectionFactory chosen(
      ObjectProvider<org.springframework.amqp.rabbit.connection.ConnectionFactory> all) {
    try {
      return all.getObject();
    } catch (NoUniqueBeanDefinitionException e) {
      // Without its cause: Boot would explain that one instead, with another remedy.
      throw new IllegalStateException(
          "there are several connection factories %s: make the one @Primary whose broker is to hold"
                  .formatted(e.getBeanNamesFound())
              + " delayed messages, or "
              + DEFINE
              + " them; or leave Pocketwatch out by pocketwatch.enabled: false");
    }
  }

  /**
   * Stands for a broker without a known address, such as that of a mocked connection factory. An
   * application starts with it as with a broker that is away.
   */
  private static final class UnknownBroker extends ConnectionFactory {
    private final String problem;

    UnknownBroker(String problem) {
      this.problem = problem;
      setHost("(unknown)");
    }

    @Override
    public Connection newConnection(
        ExecutorService executor, AddressResolver addresses, String clientProvidedName)
        throws IOException {
      throw new IOException(problem);
    }
  }
}
