// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import io.pocketwatch.DelayedDelivery;
import io.pocketwatch.Headers;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;

/** Consumes a queue and remembers what came when. */
final class Inbox implements AutoCloseable {
  private final Connection connection;
  private final Queue<Arrival> arrivals = new ConcurrentLinkedQueue<>();

  Inbox(ConnectionFactory factory, String queue) {
    factory.setAutomaticRecoveryEnabled(false);
    try {
      connection = factory.newConnection("inbox of " + queue);
      Channel channel = connection.createChannel();
      channel.basicQos(500);
      channel.basicConsume(queue, false, (tag, delivery) -> take(channel, delivery), tag -> {});
    } catch (IOException | TimeoutException e) {
      throw new IllegalStateException("cannot consume " + queue, e);
    }
  }

  private void take(Channel channel, Delivery delivery) throws IOException {
    arrivals.add(new Arrival(Instant.now(), delivery));
    channel.basicAck(delivery.getEnvelope().getDeliveryTag(), false);
  }

  List<Arrival> arrivals() {
    return List.copyOf(arrivals);
  }

  List<String> ids() {
    return arrivals.stream().map(Arrival::id).toList();
  }

  /** Waits until that many have come. */
  List<Arrival> await(int count, Duration patience) {
    Awaitility.await(count + " arrivals")
        .atMost(patience)
        .pollInterval(Duration.ofMillis(20))
        .until(arrivals::size, size -> size >= count);
    return arrivals();
  }

  Arrival awaitOne() {
    return await(1, Duration.ofSeconds(15)).get(0);
  }

  @Override
  public void close() {
    connection.abort(1_000);
  }

  /** One delivered message. */
  record Arrival(Instant at, Delivery delivery) {
    Envelope envelope() {
      return delivery.getEnvelope();
    }

    BasicProperties properties() {
      return delivery.getProperties();
    }

    /** The id Pocketwatch gave it. */
    String id() {
      return String.valueOf(Headers.id(properties()));
    }

    Duration lateness() {
      return DelayedDelivery.of(delivery).orElseThrow().lateness(at);
    }
  }
}
