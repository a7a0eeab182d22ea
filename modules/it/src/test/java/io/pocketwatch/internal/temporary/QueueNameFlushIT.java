// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.temporary;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.MessageProperties;
import io.pocketwatch.internal.amqp.AdminChannels;
import io.pocketwatch.internal.amqp.Connections;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.setup.TopologyKeeper;
import io.pocketwatch.internal.topology.QueueSpec;
import io.pocketwatch.it.SharedNodes;
import io.pocketwatch.localbroker.BrokerNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** In the package of what it tests: from outside, the moment it is about is rarely met. */
class QueueNameFlushIT {
  /** Of a queue that is no longer there the broker knows that, without writing the others down. */
  @Test
  void a_queue_declared_while_one_that_followed_is_deleted_outlives_the_kill() throws Exception {
    try (BrokerNode node = SharedNodes.own(SharedNodes.NEWEST)) {
      ConnectionFactory factory = node.connectionFactory();
      Address address = new Address(factory.getHost(), factory.getPort());
      try (AdminChannels admin =
              new AdminChannels(new Connections(factory, () -> List.of(address)));
          QueueNameFlush writer =
              new QueueNameFlush(
                  admin, number -> QueueSpec.flushQueue("following-" + number), Scheduler.SYSTEM)) {
        CompletableFuture<Void> late = new CompletableFuture<>();
        declare(writer, admin, "first")
            .thenRun(() -> declare(writer, admin, "late").thenAccept(late::complete));
        late.get(30, TimeUnit.SECONDS);
        publish(factory, "late");
        node.kill();
      }
      node.start();
      Awaitility.await()
          .atMost(Duration.ofSeconds(20))
          .ignoreExceptions() // the queue has no leader yet
          .until(() -> messages(factory, "late") == 1);
    }
  }

  private static CompletableFuture<Void> declare(
      QueueNameFlush writer, AdminChannels admin, String queue) {
    QueueSpec spec = new QueueSpec(queue, Map.of("x-queue-type", "quorum"));
    try {
      admin.call(channel -> TopologyKeeper.declare(channel, spec));
      return writer.write();
    } catch (Exception e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static void publish(ConnectionFactory factory, String queue) throws Exception {
    try (Connection connection = factory.newConnection()) {
      Channel channel = connection.createChannel();
      channel.confirmSelect();
      channel.basicPublish("", queue, MessageProperties.MINIMAL_PERSISTENT_BASIC, new byte[1]);
      channel.waitForConfirmsOrDie(10_000);
    }
  }

  private static long messages(ConnectionFactory factory, String queue) throws Exception {
    try (Connection connection = factory.newConnection()) {
      return connection.createChannel().messageCount(queue);
    }
  }
}
