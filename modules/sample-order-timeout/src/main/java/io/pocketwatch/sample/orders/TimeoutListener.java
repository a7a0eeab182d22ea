// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.sample.orders;

import io.pocketwatch.sample.orders.Order.Status;
import io.pocketwatch.spring.listener.DeliveryHeaders;
import io.pocketwatch.spring.listener.SettleInTransaction;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.rabbit.annotation.Argument;
import org.springframework.amqp.rabbit.annotation.Exchange;
import org.springframework.amqp.rabbit.annotation.Queue;
import org.springframework.amqp.rabbit.annotation.QueueBinding;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** Cancels orders whose time is over. */
@Component
class TimeoutListener {
  private static final Logger LOG = LoggerFactory.getLogger(TimeoutListener.class);

  private final Orders orders;
  private final SettleInTransaction settle;

  TimeoutListener(Orders orders, SettleInTransaction settle) {
    this.orders = orders;
    this.settle = settle;
  }

  /**
   * One transaction for the order and for "this message is done": killed in between, neither
   * happened, and the message comes again; committed, it does not.
   */
  @RabbitListener(
      bindings =
          @QueueBinding(
              exchange = @Exchange(Timeouts.EXCHANGE),
              key = Timeouts.KEY,
              value =
                  @Queue(
                      name = "shop.order-timeout",
                      durable = "true",
                      arguments = @Argument(name = "x-queue-type", value = "quorum"))))
  @Transactional
  public void timedOut(String orderId, @Header(DeliveryHeaders.LATENESS) Duration lateness) {
    boolean cancelled = orders.moveOn(orderId, Status.CANCELLED);
    orders.note(orderId, cancelled ? "cancelled" : "timeout of a paid order");
    settle.settle();
    LOG.info("Order {}: cancelled {}, late by {} ms", orderId, cancelled, lateness.toMillis());
  }
}
