// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import static io.pocketwatch.spring.Delayed.delay;
import static io.pocketwatch.spring.Delayed.deliverAt;

import io.pocketwatch.spring.listener.DeliveryHeaders;
import io.pocketwatch.spring.listener.SettleInTransaction;
import java.time.Duration;
import java.time.Instant;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.transaction.annotation.Transactional;

/** The Java of the manual for Spring. The modules spring and spring-boot-starter run the same. */
abstract class SpringSnippets {
  private final SettleInTransaction settle;

  SpringSnippets(SettleInTransaction settle) {
    this.settle = settle;
  }

  static void sending(RabbitTemplate rabbitTemplate, Object order, Instant closingTime) {
    rabbitTemplate.convertAndSend(
        "orders",
        "order.timeout",
        order,
        message -> { // as for the plugin
          message.getMessageProperties().setDelayLong(1_800_000L);
          return message;
        });
    rabbitTemplate.convertAndSend("orders", "order.timeout", order, delay(Duration.ofMinutes(30)));
    rabbitTemplate.convertAndSend(
        "orders", "order.timeout", order, deliverAt(closingTime).id("order-4711"));
  }

  @RabbitListener(queues = "order-timeouts")
  @Transactional
  void timedOut(
      String order, @Header(name = DeliveryHeaders.LATENESS, required = false) Duration lateness) {
    cancelUnpaid(order);
    settle.settle(); // injected SettleInTransaction: effect and settle commit together
  }

  abstract void cancelUnpaid(String order);
}
