// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.topology;

import io.pocketwatch.config.TemporaryQueueOptions;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The queue that holds one message.
 *
 * @param queue the queue, with a TTL of the remaining delay
 * @param binding the binding to it if the message must keep its own keys. It is null if the default
 *     exchange leads to the queue, which dead-letters under one key
 * @param replacing whether a queue of that name with a copy of the message is deleted first; else
 *     that queue is an error
 */
public record TemporaryQueue(QueueSpec queue, @Nullable BindingSpec binding, boolean replacing) {
  /** A copy that replaces a queue of that name, or not. */
  public TemporaryQueue replacing(boolean replacing) {
    return new TemporaryQueue(queue, binding, replacing);
  }

  /**
   * The token of a hold. The id alone would not do, because it may be used again after a cancel.
   */
  public static String token(String id, Instant deliverAt) {
    return id + "-" + deliverAt.toEpochMilli();
  }

  /**
   * The token for a message with a row: one of another route may have the same id and instant.
   *
   * @param route contains no NUL, nor does an id that is stored
   */
  public static String token(String route, String id, Instant deliverAt) {
    return token(route + '\0' + id, deliverAt);
  }

  /** For a message with only a routing key: it needs no binding and no key of ours. */
  public static TemporaryQueue byName(
      Names names,
      String token,
      Destination destination,
      String routingKey,
      Duration ttl,
      TemporaryQueueOptions options) {
    QueueSpec queue =
        spec(names, token, destination, ttl, options).with("x-dead-letter-routing-key", routingKey);
    return new TemporaryQueue(queue, null, false);
  }

  /**
   * For a message with CC or BCC keys, which a dead-letter routing key would remove. So the message
   * keeps all its keys, and one more steers it here.
   */
  public static TemporaryQueue byKey(
      Names names,
      String token,
      Destination destination,
      Duration ttl,
      TemporaryQueueOptions options) {
    QueueSpec queue = spec(names, token, destination, ttl, options);
    BindingSpec binding =
        BindingSpec.queue(names.temporary(), queue.name(), BccKeys.temporary(token));
    return new TemporaryQueue(queue, binding, false);
  }

  private static QueueSpec spec(
      Names names,
      String token,
      Destination destination,
      Duration ttl,
      TemporaryQueueOptions options) {
    return QueueSpec.temporary(
        names.temporaryQueue(token),
        options.queues().type(),
        ttl,
        ttl.plus(options.grace()),
        names.temporaryRelease(destination));
  }
}
