// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.guard;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Messages that arrive before their instant. */
interface EarlyTests extends GuardSetup {

  /** A policy can shorten the TTL of our hold queues, and nothing can stop it. */
  @ResourceLock(GuardSetup.WHEEL)
  @Test
  default void a_policy_that_releases_early_delays_nothing_and_hastens_nothing() throws Exception {
    GuardWorld world = world();
    String queue = world.queue("policy");
    world.publisher(GuardWorld.handedOff(queue));
    Worker worker = world.worker(queue, delivery -> {});
    String host = broker().virtualHost();
    MessageKey key;
    broker()
        .node()
        .ctl(
            "set_policy",
            "-p",
            host,
            "--apply-to",
            "queues",
            "early",
            ".*wheel.*",
            "{\"message-ttl\":100}");
    try {
      key = world.held(DelayedMessage.toQueue(queue).delay(Duration.ofSeconds(3)));
      worker.events().await("held again");
    } finally {
      broker().node().ctl("clear_policy", "-p", host, "early");
    }

    world.awaitState(key, MessageState.SETTLED);
    assertThat(worker.handled()).hasSize(1);
    assertThat(worker.handled().get(0).at())
        .isAfterOrEqualTo(world.find(key).deliverAt().minus(GuardWorld.OPTIONS.earlyTolerance()));
  }

  @Test
  default void an_early_copy_comes_back_on_time_and_as_it_was_sent() throws Exception {
    GuardWorld world = world();
    String queue = world.queue("early");
    String other = world.queue("other"); // not bound to the exchange
    String exchange = world.exchange("orders", queue);
    world.publisher();
    Worker worker = world.worker(queue, delivery -> {});
    Instant due = Instant.now().plusSeconds(2);
    BasicProperties copy =
        Copies.untracked("early-1", due, Map.of("tenant", 7, "CC", List.of(other)));

    world.channel().basicPublish(exchange, "order.timeout", copy, new byte[] {5});

    Worker.Handled handled = worker.await(1).get(0);
    assertThat(handled.at()).isAfterOrEqualTo(due.minusMillis(1));
    assertThat(handled.delivery().envelope().getRoutingKey()).isEqualTo("order.timeout");
    assertThat(handled.delivery().body()).containsExactly(5);
    assertThat(handled.delivery().properties().getHeaders())
        .containsEntry("tenant", 7)
        .containsKey("CC")
        .doesNotContainKey("pocketwatch-routing-key");
    assertThat(handled.id()).isEqualTo("early-1");
    // The broker's confirm may be told after what it has confirmed came.
    Awaitility.await()
        .untilAsserted(
            () ->
                assertThat(worker.events().all())
                    .containsExactlyInAnyOrder("held again", "delivered"));
    assertThat(world.waiting(other)).isZero();
  }
}
