// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import io.pocketwatch.testkit.BrokerExtension;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;

/** A message that is earlier than anyone waits for it, where nobody can hold it again. */
@Timeout(120)
@Tag("wide")
class EarlyWithoutGuardIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.version("4.3");

  private static final Duration EARLY = Duration.ofSeconds(5);
  private static final Duration TOLERANCE = Duration.ofMillis(300);

  private final BlockingQueue<Message> handled = new LinkedBlockingQueue<>();
  private ListenerWorld world;
  private String queue;

  @BeforeEach
  void open() throws Exception {
    world =
        new ListenerWorld(
            broker::connectionFactory,
            ListenerWorld.OPTIONS.toBuilder().storePatience(Duration.ofSeconds(1)).build());
    queue = world.queue + ".untracked";
    world.declare(queue, Map.of());
  }

  @AfterEach
  void close() throws Exception {
    world.close();
  }

  private final class Unacknowledging {
    @RabbitListener(queues = "${queue}.untracked", ackMode = "NONE")
    void handle(Message message) {
      handled.add(message);
    }
  }

  @Test
  void what_nobody_acknowledges_is_not_lost() throws Exception {
    assertHandledWhenDue(new Unacknowledging());
  }

  private final class Acknowledging {
    @RabbitListener(queues = "${queue}.untracked", ackMode = "MANUAL")
    void handle(Message message, Channel channel) throws IOException {
      handled.add(message);
      channel.basicAck(message.getMessageProperties().getDeliveryTag(), false);
    }
  }

  @Test
  void what_the_listener_acknowledges_comes_again() throws Exception {
    assertHandledWhenDue(new Acknowledging());
  }

  private final class Acknowledged {
    @RabbitListener(queues = "${queue}.untracked")
    void handle(Message message) {
      handled.add(message);
    }
  }

  @Test
  void what_the_container_acknowledges_comes_again() throws Exception {
    assertHandledWhenDue(new Acknowledged());
  }

  /** Sent again at once each time, it would be dropped after a moment, for 20 returns. */
  @Test
  void a_queue_that_counts_returns_does_not_drop_it() throws Exception {
    queue = world.queue + ".counting";
    world.declare(queue, Map.of("x-queue-type", "quorum", "x-delivery-limit", 20));
    assertHandledWhenDue(new FromCountingQueue());
  }

  private final class FromCountingQueue {
    @RabbitListener(queues = "${queue}.counting")
    void handle(Message message) {
      handled.add(message);
    }
  }

  private void assertHandledWhenDue(Object listener) throws Exception {
    world.start(listener, new SimpleRabbitListenerContainerFactory(), null);
    Instant deliverAt = Instant.now().plus(EARLY);
    world.channel.basicPublish(
        "", queue, Copies.untracked("early", deliverAt, Map.of()), "early".getBytes());

    Message message = ListenerWorld.next(handled);
    assertThat(Instant.now()).isAfter(deliverAt.minus(TOLERANCE));
    assertThat(message.getBody()).isEqualTo("early".getBytes());
    world.awaitWaiting(queue, 0);
    assertThat(handled).isEmpty();
  }
}
