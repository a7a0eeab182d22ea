// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.testkit.BrokerExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/**
 * Early messages that nobody can hold again, in a queue that drops what was returned eight times.
 * On a broker that counts every return; 4.3 does not count those of a consumer that asks for
 * requeueing.
 */
@Timeout(120)
@Tag("wide")
class FewReturnsIT {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("3.10");

  private final BlockingQueue<Message> handled = new LinkedBlockingQueue<>();
  private ListenerWorld world;
  private String queue;

  @BeforeEach
  void open() throws Exception {
    world =
        new ListenerWorld(
            BROKER::connectionFactory,
            ListenerWorld.OPTIONS.toBuilder().storePatience(Duration.ofSeconds(3)).build());
    queue = world.queue + ".few";
    world.declare(
        queue,
        Map.of(
            "x-queue-type",
            "quorum",
            "x-delivery-limit",
            8,
            "x-dead-letter-exchange",
            "",
            "x-dead-letter-routing-key",
            world.queue + ".dead"));
  }

  @AfterEach
  void close() throws Exception {
    world.close();
  }

  private final class Listener {
    @RabbitListener(queues = "${queue}.few")
    void handle(Message message) {
      handled.add(message);
    }
  }

  /** What comes back waits again, though 250 might have been sent ahead of its last wait. */
  @Test
  void one_that_a_guard_cannot_hold_again_is_not_dropped() throws Exception {
    world.publisher.close();
    assertNoneIsDropped(1, world.guard);
  }

  /** Each consumer gets those that the others have returned. */
  @Test
  void none_of_many_consumers_is_dropped() throws Exception {
    assertNoneIsDropped(12, null);
  }

  private void assertNoneIsDropped(int consumers, @Nullable DeliveryGuard guard) throws Exception {
    SimpleRabbitListenerContainerFactory factory = new SimpleRabbitListenerContainerFactory();
    factory.setConcurrentConsumers(consumers);
    Instant due = Instant.now().plusSeconds(3_600);
    for (int i = 0; i < consumers; i++) {
      world.channel.basicPublish(
          "", queue, Copies.untracked("early-" + i, due, Map.of()), new byte[] {1});
    }
    AnnotationConfigApplicationContext context = world.start(new Listener(), factory, guard);

    Awaitility.await()
        .during(Duration.ofSeconds(12))
        .atMost(Duration.ofSeconds(20))
        .until(() -> world.channel.messageCount(world.queue + ".dead") == 0);

    context.close();
    Awaitility.await(queue) // without a store an early one is held for a minute at a time
        .atMost(Duration.ofSeconds(90))
        .until(() -> world.channel.messageCount(queue) == consumers);
    assertThat(handled).isEmpty();
  }
}
