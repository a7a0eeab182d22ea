// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.declare;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.NoOpMetricsCollector;
import com.rabbitmq.client.impl.ForgivingExceptionHandler;
import io.pocketwatch.internal.base.BrokerError;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.WeakHashMap;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.rabbit.connection.AbstractConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;

/**
 * Finds out whether a broker has the exchange type {@code x-delayed-message}, by trying to declare
 * one. No version tells, since the plugin may be missing on an old broker and a fork of it may be
 * there on a new one.
 *
 * <p>It asks the very node that the application is connected to. It asks over a connection of its
 * own, because brokers before 4.0 close the whole connection on an unknown type. The answer is kept
 * for as long as that connection of the application lives. After a reconnect the broker may be a
 * newer one without the plugin. Thread-safe; two threads at once may both ask.
 */
final class DelayTypeProbe {
  private static final Logger LOG = LoggerFactory.getLogger(DelayTypeProbe.class);
  private static final int CLOSE_MILLIS = 5_000;

  private final ConnectionFactory connectionFactory;
  private final Map<Connection, Boolean> answers = Collections.synchronizedMap(new WeakHashMap<>());

  DelayTypeProbe(ConnectionFactory connectionFactory) {
    this.connectionFactory = connectionFactory;
  }

  /**
   * Whether the broker lacks the type.
   *
   * @param live the application's connection
   * @throws IOException if the broker gives no answer
   */
  boolean lacksType(Connection live) throws IOException {
    Boolean known = answers.get(live);
    if (known != null) {
      return known;
    }
    boolean lacking = ask(live);
    answers.put(live, lacking);
    return lacking;
  }

  /** The broker says "unknown", or "invalid" if it knows the name: the plugin was there once. */
  private static boolean unknownExchangeType(Throwable failure) {
    return BrokerError.reply(failure).filter(text -> text.contains("exchange type")).isPresent();
  }

  private boolean ask(Connection live) throws IOException {
    if (!(connectionFactory instanceof AbstractConnectionFactory spring)) {
      LOG.warn(
          "{} gives no access to a RabbitMQ connection factory, so the broker cannot be asked"
              + " for the exchange type {}. Delayed exchanges are declared as they are written",
          connectionFactory,
          UnderlyingExchange.DELAYED);
      return false;
    }
    try {
      Connection own = open(spring.getRabbitConnectionFactory(), live);
      try {
        boolean lacking = declareOn(own);
        LOG.debug("{} has the plugin's exchange type: {}", live, !lacking);
        return lacking;
      } finally {
        own.abort(CLOSE_MILLIS);
      }
    } catch (TimeoutException e) {
      throw new IOException(
          "asking the broker for the exchange type " + UnderlyingExchange.DELAYED + ": no answer",
          e);
    }
  }

  private static Connection open(com.rabbitmq.client.ConnectionFactory factory, Connection live)
      throws IOException, TimeoutException {
    com.rabbitmq.client.ConnectionFactory once = factory.clone();
    once.setAutomaticRecoveryEnabled(false); // the broker closing it is an answer
    once.setExceptionHandler(new SilentExceptionHandler());
    once.setMetricsCollector(new NoOpMetricsCollector());
    // getHostName would look a bare address up in the name service.
    String host = new InetSocketAddress(live.getAddress(), live.getPort()).getHostString();
    return once.newConnection(List.of(new Address(host, live.getPort())), "pocketwatch probe");
  }

  /** Whether the broker refuses the type. */
  private static boolean declareOn(Connection connection) throws IOException {
    String exchange = "pocketwatch.probe." + UUID.randomUUID();
    Map<String, Object> arguments = Map.of(UnderlyingExchange.TYPE_ARGUMENT, "direct");
    try {
      Channel channel = connection.createChannel();
      channel.exchangeDeclare(exchange, UnderlyingExchange.DELAYED, false, true, arguments);
      channel.exchangeDelete(exchange);
      return false;
    } catch (IOException | AlreadyClosedException e) {
      if (unknownExchangeType(e)) {
        return true;
      }
      if (BrokerError.code(e) == BrokerError.ACCESS_REFUSED) {
        return false; // brokers look at the type before they look at permissions
      }
      throw e;
    }
  }

  /** The expected refusal is not worth a warning in the log. */
  private static final class SilentExceptionHandler extends ForgivingExceptionHandler {
    @Override
    public void handleUnexpectedConnectionDriverException(
        Connection connection, Throwable exception) {}
  }
}
