// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.amqp;

import io.pocketwatch.benchmarks.harness.Subject;
import io.pocketwatch.benchmarks.subject.RabbitServer;
import java.time.Duration;
import java.util.List;

/** Other ways to delay on a RabbitMQ. */
public final class AmqpPeers {
  private static final String AT_LEAST_ONCE =
      "persistent, confirmed, dead-lettered at least once (quorum queues)";

  /** System property: a folder that holds the delayed-message-exchange plugin. */
  public static final String PLUGINS_PROPERTY = "pocketwatch.bench.plugins";

  /** As long as that of our TTL queue. */
  private static final Duration HOLDS_DELAY = Duration.ofSeconds(10);

  private AmqpPeers() {}

  public static List<Subject> all() {
    return List.of(
        new AmqpPeer(
            "shared-ttl-queue",
            AT_LEAST_ONCE,
            Duration.ofMillis(1),
            10_000,
            RabbitServer::single,
            SharedTtlQueue::declare),
        new AmqpPeer(
            "ladder-28",
            AT_LEAST_ONCE,
            Duration.ofSeconds(1),
            2_000,
            RabbitServer::single,
            BinaryLadder::declare),
        holds(1),
        holds(24),
        holds(240),
        new AmqpPeer(
            "queue-per-message",
            AT_LEAST_ONCE,
            Duration.ofMillis(1),
            200,
            RabbitServer::single,
            connection -> QueuePerMessage.on("quorum", connection)),
        new AmqpPeer(
            "queue-per-message-classic",
            "persistent, confirmed; what expires while the target is down is lost (classic queues)",
            Duration.ofMillis(1),
            200,
            RabbitServer::single,
            connection -> QueuePerMessage.on("classic", connection)),
        DelayedExchange.peer());
  }

  private static Subject holds(int queues) {
    return new AmqpPeer(
        "holds-" + queues,
        AT_LEAST_ONCE,
        Duration.ofMillis(1),
        10_000,
        RabbitServer::single,
        connection -> ManyHolds.declare(connection, queues, HOLDS_DELAY.toMillis()),
        HOLDS_DELAY);
  }
}
