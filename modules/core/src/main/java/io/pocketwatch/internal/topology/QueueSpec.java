// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.topology;

import io.pocketwatch.config.HoldQueues.HoldQueueType;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A queue of ours; durable. All arguments are sent from the first version on, because a broker
 * refuses to change them later.
 */
public record QueueSpec(String name, Map<String, Object> arguments) {
  /** In case its declarer dies before deleting it. */
  private static final Duration FLUSH_EXPIRES = Duration.ofMinutes(1);

  /** RabbitMQ has no "unlimited" from 3.10 on; people look into a queue less often than this. */
  private static final long NO_DELIVERY_LIMIT = 1_000_000_000;

  public QueueSpec {
    arguments = Map.copyOf(arguments);
  }

  /**
   * Holds each message for the TTL, then dead-letters it under its own keys. Beyond a policy's
   * limit it refuses messages: by default the oldest would be dead-lettered, too early.
   */
  static QueueSpec hold(String name, HoldQueueType type, Duration ttl, String deadLetterExchange) {
    QueueSpec queue =
        ofType(name, type)
            .with("x-message-ttl", ttl.toMillis())
            .with("x-dead-letter-exchange", deadLetterExchange)
            .with("x-overflow", "reject-publish");
    return type == HoldQueueType.CLASSIC ? queue : queue.passingOnAtLeastOnce();
  }

  /**
   * Holds each message for its own expiration, and on RabbitMQ 4.4 until its own instant, then
   * dead-letters it under its own keys.
   */
  static QueueSpec holdByTime(String name, String deadLetterExchange) {
    return ofType(name, HoldQueueType.QUORUM)
        .with("x-dead-letter-exchange", deadLetterExchange)
        .passingOnAtLeastOnce();
  }

  /**
   * Dead-letters at least once, which only quorum queues can that reject beyond their limit.
   * Messages that a person gets from it and requeues do not become early by that.
   */
  private QueueSpec passingOnAtLeastOnce() {
    return with("x-dead-letter-strategy", "at-least-once")
        .with("x-overflow", "reject-publish")
        .with("x-delivery-limit", NO_DELIVERY_LIMIT);
  }

  /**
   * Takes everything and keeps nothing. It is a quorum queue, to survive the loss of a node. Its
   * length is zero, because a TTL of zero would halve the rate of the hold queues.
   *
   * @param nowhere an exchange that is not there; a policy's would keep the dropped messages
   */
  static QueueSpec sink(String name, String nowhere) {
    return ofType(name, HoldQueueType.QUORUM)
        .with("x-max-length", 0L)
        .with("x-overflow", "drop-head")
        .with("x-dead-letter-exchange", nowhere);
  }

  /**
   * Takes everything on one node and keeps nothing. A classic queue discards messages that expire
   * at once, before storing them. The queue is on the node whose connection declares it. With a
   * dead-letter exchange it would store each message first, and take a twentieth as many. So it has
   * no such argument, and a policy can set one.
   */
  static QueueSpec nodeSink(String name) {
    return ofType(name, HoldQueueType.CLASSIC)
        .with("x-message-ttl", 0L)
        .with("x-overflow", "drop-head")
        .with("x-queue-leader-locator", "client-local");
  }

  /**
   * Keeps everything until a person takes it, however often they look, and drops nothing when full.
   */
  static QueueSpec parked(String name) {
    return ofType(name, HoldQueueType.QUORUM)
        .with("x-overflow", "reject-publish")
        .with("x-delivery-limit", NO_DELIVERY_LIMIT);
  }

  /** Holds one message, then dead-letters it under its own keys; deleted by us or on expiry. */
  static QueueSpec temporary(
      String name, HoldQueueType type, Duration ttl, Duration expires, String deadLetterExchange) {
    return hold(name, type, ttl, deadLetterExchange).with("x-expires", expires.toMillis());
  }

  /** Has no use but to make the broker write down the quorum queues declared before it. */
  public static QueueSpec flushQueue(String name) {
    return ofType(name, HoldQueueType.QUORUM).with("x-expires", FLUSH_EXPIRES.toMillis());
  }

  /**
   * Shows the effect of a policy on hold queues: it has room for one message, and dead-letters what
   * leaves it.
   */
  public static QueueSpec policyProbe(String name, HoldQueueType type, String deadLetterExchange) {
    QueueSpec queue =
        ofType(name, type)
            .with("x-max-length", 1L)
            .with("x-overflow", "reject-publish")
            .with("x-dead-letter-exchange", deadLetterExchange)
            .with("x-expires", FLUSH_EXPIRES.toMillis());
    return type == HoldQueueType.CLASSIC ? queue : queue.passingOnAtLeastOnce();
  }

  /** Whether it is one of the broker's quorum queues. */
  public boolean quorum() {
    return HoldQueueType.QUORUM.argument().equals(arguments.get("x-queue-type"));
  }

  QueueSpec with(String argument, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(arguments);
    more.put(argument, value);
    return new QueueSpec(name, more);
  }

  private static QueueSpec ofType(String name, HoldQueueType type) {
    QueueSpec queue = new QueueSpec(name, Map.of("x-queue-type", type.argument()));
    // For classic queues 3.10 refuses this argument and 4.3 its predecessor (queue-master-locator).
    // An argument by version could not be declared again after an upgrade.
    return type == HoldQueueType.CLASSIC ? queue : queue.with("x-queue-leader-locator", "balanced");
  }
}
