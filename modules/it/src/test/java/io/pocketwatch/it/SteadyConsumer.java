// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Delivery;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Consumes queues and connects again whenever the connection or a queue goes, until closed. */
final class SteadyConsumer implements AutoCloseable {
  private final ConnectionFactory factory;
  private final List<String> queues;
  private final Consumer<Delivery> handler;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "steady-consumer");

  SteadyConsumer(ConnectionFactory factory, List<String> queues, Consumer<Delivery> handler) {
    this.factory = factory;
    this.queues = queues;
    this.handler = handler;
    factory.setAutomaticRecoveryEnabled(false);
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    try {
      do {
        consumeUntilLost();
      } while (!closed.await(200, TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void consumeUntilLost() throws InterruptedException {
    CountDownLatch lost = new CountDownLatch(1);
    Connection connection = null;
    try {
      connection = factory.newConnection("steady consumer");
      connection.addShutdownListener(cause -> lost.countDown());
      for (String queue : queues) {
        Channel channel = connection.createChannel();
        channel.addShutdownListener(cause -> lost.countDown());
        channel.basicQos(500);
        channel.basicConsume(
            queue, false, (tag, delivery) -> take(channel, delivery), tag -> lost.countDown());
      }
      while (!lost.await(200, TimeUnit.MILLISECONDS) && closed.getCount() > 0) {
        // still connected, still wanted
      }
    } catch (IOException | TimeoutException | RuntimeException e) {
      lost.countDown(); // down, or a queue has no leader yet: tried again
    } finally {
      if (connection != null) {
        connection.abort(1_000);
      }
    }
  }

  private void take(Channel channel, Delivery delivery) throws IOException {
    handler.accept(delivery);
    channel.basicAck(delivery.getEnvelope().getDeliveryTag(), false);
  }

  @Override
  public void close() throws InterruptedException {
    closed.countDown();
    thread.join(10_000);
  }
}
