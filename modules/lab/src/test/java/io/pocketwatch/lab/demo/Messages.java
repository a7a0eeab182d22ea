// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedDelivery;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.PublishReceipt.Cause;
import java.time.Duration;
import java.time.Instant;

/** Orders, receipts and deliveries that fit together. */
final class Messages {
  static final Instant DUE = Instant.parse("2025-11-01T00:00:10Z");

  private Messages() {}

  static Order order(int number) {
    return new Order(
        number, Duration.ZERO, Duration.ofSeconds(10), DelayStrategy.QUEUE_WHEEL, false);
  }

  static Order paidOrder(int number) {
    return new Order(
        number, Duration.ZERO, Duration.ofSeconds(10), DelayStrategy.QUEUE_WHEEL, true);
  }

  static PublishReceipt receipt(String id, PublishOutcome outcome, String detail) {
    return new PublishReceipt(
        id,
        "order-timeout",
        outcome,
        Cause.NONE,
        detail,
        DelayStrategy.QUEUE_WHEEL,
        "any delay",
        DUE,
        Duration.ZERO,
        false);
  }

  static PublishReceipt confirmed(String id) {
    return receipt(id, PublishOutcome.CONFIRMED, "");
  }

  static DelayedDelivery delivery(String id) {
    return delivery(id, DUE);
  }

  static DelayedDelivery delivery(String id, Instant deliverAt) {
    return new DelayedDelivery(
        id,
        deliverAt,
        DelayStrategy.QUEUE_WHEEL,
        DemoNames.EXCHANGE,
        DemoNames.ROUTING_KEY,
        new BasicProperties());
  }
}
