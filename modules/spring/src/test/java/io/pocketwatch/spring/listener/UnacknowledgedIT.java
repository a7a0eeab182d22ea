// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.testkit.BrokerExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** With acknowledge mode NONE the copy that came is the only one; here it cannot be held again. */
@Timeout(120)
@Tag("wide")
class UnacknowledgedIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.version("4.3");

  private final BlockingQueue<Message> handled = new LinkedBlockingQueue<>();
  private ListenerWorld world;
  private String queue;
  private AnnotationConfigApplicationContext application;

  @BeforeEach
  void open() throws Exception {
    world =
        new ListenerWorld(
            broker::connectionFactory,
            ListenerWorld.OPTIONS.toBuilder().storePatience(Duration.ofSeconds(1)).build());
    queue = world.queue + ".untracked";
    world.declare(queue, Map.of());
    application = world.simple(new Unacknowledging(), factory -> {});
    world.publisher.close();
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
  void it_is_handled_when_it_is_time() throws Exception {
    Instant deliverAt = Instant.now().plusSeconds(3);
    publish(deliverAt);

    assertThat(ListenerWorld.next(handled).getBody()).isEqualTo("early".getBytes());
    assertThat(Instant.now()).isAfter(deliverAt.minus(ListenerWorld.OPTIONS.earlyTolerance()));
    assertThat(handled).isEmpty();
  }

  @Test
  void a_stop_does_not_wait_for_that() throws Exception {
    publish(Instant.now().plusSeconds(3_600));
    Awaitility.await().until(() -> world.channel.messageCount(queue) == 0);
    Instant begin = Instant.now();
    application.close();

    assertThat(Duration.between(begin, Instant.now()))
        .as("a container gives up its consumers after 5 s")
        .isLessThan(Duration.ofSeconds(4));
    assertThat(handled).isEmpty();
  }

  private void publish(Instant deliverAt) throws Exception {
    world.channel.basicPublish(
        "", queue, Copies.untracked("early", deliverAt, Map.of()), "early".getBytes());
  }
}
