// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.declare;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.AmqpIOException;
import org.springframework.amqp.core.Declarable;
import org.springframework.amqp.core.DeclarableCustomizer;
import org.springframework.amqp.core.Exchange;
import org.springframework.amqp.rabbit.connection.Connection;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;

/**
 * A customizer for an admin that a framework makes: where the broker lacks the plugin, a delayed
 * exchange is declared with its underlying type. The broker is asked when the admin declares, which
 * may be long after {@link #apply}. A {@link DelayedRabbitAdmin} needs no such help. Thread-safe.
 */
public final class UnderlyingExchanges implements DeclarableCustomizer {
  private final Supplier<ConnectionFactory> connectionFactory;
  private @Nullable DelayTypeProbe probe;

  /**
   * Makes a customizer for one broker.
   *
   * @param connectionFactory the admin's factory; asked for when a delayed exchange is declared
   */
  public UnderlyingExchanges(Supplier<ConnectionFactory> connectionFactory) {
    this.connectionFactory = connectionFactory;
  }

  @Override
  public Declarable apply(Declarable declarable) {
    return declarable instanceof Exchange exchange && exchange.isDelayed()
        ? delayedIfPossible(exchange)
        : declarable;
  }

  private Exchange delayedIfPossible(Exchange exchange) {
    return (Exchange)
        Proxy.newProxyInstance(
            UnderlyingExchanges.class.getClassLoader(),
            new Class<?>[] {Exchange.class},
            (self, method, given) -> {
              if (method.getName().equals("isDelayed")) {
                return !brokerLacksPlugin();
              }
              try {
                return method.invoke(exchange, given);
              } catch (InvocationTargetException e) {
                throw e.getTargetException();
              }
            });
  }

  private boolean brokerLacksPlugin() {
    ConnectionFactory factory = connectionFactory.get();
    Connection connection = factory.createConnection();
    try {
      return probe(factory).lacksType(connection.getDelegate());
    } catch (IOException e) {
      throw new AmqpIOException(e);
    } finally {
      connection.close(); // a pooled one goes back, the shared one stays
    }
  }

  private synchronized DelayTypeProbe probe(ConnectionFactory factory) {
    if (probe == null) {
      probe = new DelayTypeProbe(factory);
    }
    return probe;
  }
}
