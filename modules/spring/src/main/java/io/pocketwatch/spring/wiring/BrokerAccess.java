// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.AddressResolver;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import org.springframework.amqp.rabbit.connection.AbstractConnectionFactory;
import org.springframework.amqp.rabbit.connection.AbstractRoutingConnectionFactory;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.ReflectionUtils;

/**
 * How to reach the broker of the application, for connections of our own beside Spring's.
 *
 * @param factory credentials, virtual host, TLS, and the address if there is only one
 * @param addresses to be tried in order, asked for each connection; none for that of the factory
 */
public record BrokerAccess(ConnectionFactory factory, AddressResolver addresses) {
  private static final String DEFINE =
      "define a bean of type " + BrokerAccess.class.getName() + " for the broker that is to hold";

  /** Spring AMQP has no public getter: its addresses, or those of its resolver; null for none. */
  private static final Method ADDRESSES = addresses(AbstractConnectionFactory.class);

  /**
   * That of Spring's connection factory, with its addresses or its address resolver; of a routing
   * one, that of its default target. One of a kind that does not say where its broker is, such as a
   * mock, counts as a broker that is away.
   *
   * @throws IllegalStateException if it is a routing one without a default target
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

  private static Method addresses(Class<AbstractConnectionFactory> type) {
    Method getter = ReflectionUtils.findMethod(type, "getAddresses");
    if (getter == null) {
      throw new IllegalStateException("this version of Spring AMQP is not known");
    }
    ReflectionUtils.makeAccessible(getter);
    return getter;
  }

  /** Those of now: an application may set others, and a resolver may find others. */
  private static List<Address> addresses(AbstractConnectionFactory spring) throws IOException {
    try {
      return ADDRESSES.invoke(spring) instanceof List<?> given
          ? given.stream().map(Address.class::cast).toList()
          : List.of();
    } catch (InvocationTargetException e) {
      throw new IOException("its addresses cannot be told", e.getTargetException());
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Spring AMQP has no getter for it; the field is read. */
  private static org.springframework.amqp.rabbit.connection.ConnectionFactory defaultTarget(
      AbstractRoutingConnectionFactory routing) {
    if (new DirectFieldAccessor(routing).getPropertyValue("defaultTargetConnectionFactory")
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
   * The one of an application's connection factories that Spring would inject.
   *
   * @throws IllegalStateException if there are several, and none of them is {@code @Primary}
   */
  public static org.springframework.amqp.rabbit.connection.ConnectionFactory chosen(
      ObjectProvider<org.springframework.amqp.rabbit.connection.ConnectionFactory> all) {
    try {
      return all.getObject();
    } catch (NoUniqueBeanDefinitionException e) {
      // Without its cause, or Boot would explain that, for which there is another remedy.
      throw new IllegalStateException(
          "there are several connection factories %s: make the one @Primary whose broker is to hold"
                  .formatted(e.getBeanNamesFound())
              + " delayed messages, or "
              + DEFINE
              + " them; or leave Pocketwatch out by pocketwatch.enabled: false");
    }
  }
}
