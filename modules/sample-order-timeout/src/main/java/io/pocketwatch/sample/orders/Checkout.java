// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.sample.orders;

import io.pocketwatch.sample.orders.Order.Status;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.UUID;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** What customers do, each in a transaction. */
@Service
class Checkout {
  private final Orders orders;
  private final Timeouts timeouts;

  Checkout(Orders orders, Timeouts timeouts) {
    this.orders = orders;
    this.timeouts = timeouts;
  }

  /** The order and its timeout: both are committed, or neither is. */
  @Transactional
  public Order place(String item) {
    OffsetDateTime now = OffsetDateTime.now(ZoneOffset.UTC).truncatedTo(ChronoUnit.MILLIS);
    Order order =
        new Order(UUID.randomUUID().toString(), item, Status.OPEN, now.plus(timeouts.after()));
    orders.add(order);
    timeouts.start(order.id());
    return order;
  }

  /** Paid twice is paid once; the answer says where the order stands now. */
  @Transactional
  public Optional<Order> pay(String id) {
    if (orders.moveOn(id, Status.PAID)) {
      orders.note(id, "paid");
    }
    return orders.find(id);
  }
}
