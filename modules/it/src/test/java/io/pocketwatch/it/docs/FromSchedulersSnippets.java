// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import static io.pocketwatch.spring.Delayed.delay;

import io.pocketwatch.spring.listener.SettleInTransaction;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SchedulingStore;
import java.time.Duration;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.transaction.annotation.Transactional;

/** What a job of a scheduler becomes. The sample runs the same. */
abstract class FromSchedulersSnippets {
  private final RabbitTemplate rabbitTemplate;
  private final SchedulingStore messages;
  private final SettleInTransaction settle;

  FromSchedulersSnippets(
      RabbitTemplate rabbitTemplate, SchedulingStore messages, SettleInTransaction settle) {
    this.rabbitTemplate = rabbitTemplate;
    this.messages = messages;
    this.settle = settle;
  }

  @Transactional
  void place(String order) {
    save(order);
    rabbitTemplate.convertAndSend(
        "orders", "order.timeout", order, delay(Duration.ofMinutes(30)).id(order));
  }

  void paid(String order) {
    messages.cancel(new MessageKey("order-timeout", order)); // injected SchedulingStore
  }

  @RabbitListener(queues = "order-timeouts")
  @Transactional
  void unpaid(String order) {
    cancelUnpaid(order);
    settle.settle(); // injected SettleInTransaction
  }

  abstract void save(String order);

  abstract void cancelUnpaid(String order);
}
