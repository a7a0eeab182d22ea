// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.benchmarks.harness.Ground;
import io.pocketwatch.benchmarks.subject.RabbitServer;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The plugin it is made for is seldom at hand: here with a queue that does not exist. */
final class NotMandatoryIT {

  @Test
  @Timeout(120)
  void nothingIsReturned() throws Exception {
    try (Ground ground = new Ground();
        RabbitServer.VirtualHost host = RabbitServer.single(ground).virtualHost();
        Connection connection = host.connect()) {
      assertThat(returned(connection)).isEqualTo(1);
      assertThat(returned(NotMandatory.on(connection))).isZero();
    }
  }

  /** A return comes before the confirm. */
  private static int returned(Connection connection) throws Exception {
    AtomicInteger returned = new AtomicInteger();
    try (Channel channel = connection.createChannel()) {
      channel.addReturnListener(message -> returned.incrementAndGet());
      channel.confirmSelect();
      channel.basicPublish("", "nowhere", true, Detour.PERSISTENT, new byte[0]);
      channel.waitForConfirmsOrDie(10_000);
    }
    return returned.get();
  }
}
