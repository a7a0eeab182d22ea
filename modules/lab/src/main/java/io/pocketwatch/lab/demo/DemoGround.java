// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.internal.base.BrokerError;
import io.pocketwatch.internal.topology.ExchangeSpec;
import io.pocketwatch.internal.topology.QueueSpec;
import io.pocketwatch.internal.topology.Topology;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/** The shop's own exchange and queue on the broker, and the way to leave nothing there. */
final class DemoGround implements AutoCloseable {
  private static final int CLOSE_MILLIS = 5_000;

  private final Connection connection;
  private final Channel channel;

  private DemoGround(Connection connection, Channel channel) {
    this.connection = connection;
    this.channel = channel;
  }

  /** Declares the shop's exchange and queue, empty. */
  static DemoGround prepare(ConnectionFactory factory) throws IOException, TimeoutException {
    Connection connection = factory.newConnection("pocketwatch demo");
    try {
      Channel channel = connection.createChannel();
      lock(channel);
      declare(channel);
      return new DemoGround(connection, channel);
    } catch (IOException | RuntimeException e) {
      connection.abort(CLOSE_MILLIS);
      throw e;
    }
  }

  private static void declare(Channel channel) throws IOException {
    channel.queueDelete(DemoNames.QUEUE); // what a killed demo has left
    channel.queueDelete(DemoNames.TASKS);
    channel.exchangeDeclare(DemoNames.EXCHANGE, "direct", true);
    channel.queueDeclare(DemoNames.QUEUE, true, false, false, Map.of("x-queue-type", "quorum"));
    channel.queueDeclare(DemoNames.TASKS, true, false, false, Map.of("x-queue-type", "quorum"));
    channel.queueBind(DemoNames.TASKS, DemoNames.EXCHANGE, DemoNames.TASK_KEY);
    for (String key : List.of(DemoNames.ROUTING_KEY, DemoNames.PLUGIN_ROUTING_KEY)) {
      channel.queueBind(DemoNames.QUEUE, DemoNames.EXCHANGE, key);
    }
  }

  /** Two demos would use, and in the end delete, the same queues. */
  private static void lock(Channel channel) throws IOException {
    try {
      channel.queueDeclare(DemoNames.LOCK, false, true, true, Map.of());
    } catch (IOException e) {
      if (BrokerError.code(e) != AMQP.RESOURCE_LOCKED) {
        throw e;
      }
      throw new CommandFailedException(
          ExitCodes.NO_BROKER, "another demo is running on this broker; wait for it to end", e);
    }
  }

  /** A new channel for whoever consumes. */
  Channel channel() throws IOException {
    return connection.createChannel();
  }

  /** Deletes the shop's things and all of the topologies; what is not there does not matter. */
  void delete(List<Topology> topologies, List<String> queues) throws IOException {
    for (Topology topology : topologies) {
      for (QueueSpec queue : topology.queues()) {
        channel.queueDelete(queue.name());
      }
      for (ExchangeSpec exchange : topology.exchanges()) {
        channel.exchangeDelete(exchange.name());
      }
    }
    for (String queue : queues) {
      channel.queueDelete(queue);
    }
    channel.queueDelete(DemoNames.QUEUE);
    channel.queueDelete(DemoNames.TASKS);
    channel.exchangeDelete(DemoNames.EXCHANGE);
  }

  @Override
  public void close() {
    connection.abort(CLOSE_MILLIS);
  }
}
