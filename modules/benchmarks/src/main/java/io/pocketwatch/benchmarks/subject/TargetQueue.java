// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.subject;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.Payload;
import java.io.IOException;
import java.util.Map;

/**
 * The exchange and the durable queue that every message on RabbitMQ is meant for, and its consumer:
 * the same for all.
 */
public final class TargetQueue implements AutoCloseable {
  /** A direct exchange. */
  public static final String EXCHANGE = "bench";

  /** The routing key, and the name of the queue. */
  public static final String KEY = "due";

  private static final int PREFETCH = 1_000;

  /** Fewer acknowledgements than messages, as a fast consumer would send them. */
  private static final int ACK_EVERY = 100;

  private final Connection connection;

  private TargetQueue(Connection connection) {
    this.connection = connection;
  }

  /**
   * Declares exchange and queue and consumes on a connection of its own.
   *
   * @param queueType quorum or classic
   */
  public static TargetQueue consume(Connection connection, String queueType, Ledger ledger)
      throws IOException {
    Channel channel = connection.createChannel();
    channel.exchangeDeclare(EXCHANGE, BuiltinExchangeType.DIRECT, true);
    channel.queueDeclare(KEY, true, false, false, Map.of("x-queue-type", queueType));
    channel.queueBind(KEY, EXCHANGE, KEY);
    channel.basicQos(PREFETCH);
    channel.basicConsume(KEY, false, new Counting(channel, ledger));
    return new TargetQueue(connection);
  }

  /** Also when the broker has already closed the connection, as in a restart. */
  @Override
  public void close() {
    connection.abort();
  }

  private static final class Counting extends DefaultConsumer {
    private final Ledger ledger;
    private int unacknowledged;

    Counting(Channel channel, Ledger ledger) {
      super(channel);
      this.ledger = ledger;
    }

    @Override
    public void handleDelivery(
        String consumerTag, Envelope envelope, BasicProperties properties, byte[] body)
        throws IOException {
      ledger.arrived(Payload.number(body));
      if (++unacknowledged == ACK_EVERY) {
        getChannel().basicAck(envelope.getDeliveryTag(), true);
        unacknowledged = 0;
      }
    }
  }
}
