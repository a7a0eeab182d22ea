// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.sample.orders;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.spring.Delayed;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SchedulingStore;
import java.time.Duration;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/** The message to ourselves that an order's time is over. */
@Component
class Timeouts {
  static final String EXCHANGE = "shop";
  static final String KEY = "order.timeout";
  private static final String ROUTE = "order-timeout";

  private final RabbitTemplate rabbit;
  private final SchedulingStore messages;
  private final Duration after;

  Timeouts(
      RabbitTemplate rabbit, SchedulingStore messages, @Value("${shop.timeout}") Duration after) {
    this.rabbit = rabbit;
    this.messages = messages;
    this.after = after;
  }

  Duration after() {
    return after;
  }

  /** Within a transaction it is a part of it: rolled back, there is no message. */
  void start(String orderId) {
    rabbit.convertAndSend(EXCHANGE, KEY, orderId, Delayed.delay(after).id(orderId));
  }

  /** After the commit, not before: of an order that stays unpaid the message must come. */
  ChangeOutcome cancel(String orderId) {
    return messages.cancel(new MessageKey(ROUTE, orderId));
  }
}
