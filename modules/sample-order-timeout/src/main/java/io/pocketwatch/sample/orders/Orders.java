// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.sample.orders;

import io.pocketwatch.sample.orders.Order.Status;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The table of orders, and what happened to each of them. */
@Repository
class Orders {
  private final JdbcClient jdbc;

  Orders(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  void add(Order order) {
    jdbc.sql("INSERT INTO shop_order (id, item, status, pay_by) VALUES (?, ?, ?, ?)")
        .params(order.id(), order.item(), order.status().name(), order.payBy())
        .update();
    note(order.id(), "placed");
  }

  /** Only an open order goes anywhere: of a payment and a timeout at the same instant, one wins. */
  boolean moveOn(String id, Status to) {
    return jdbc.sql("UPDATE shop_order SET status = ? WHERE id = ? AND status = 'OPEN'")
            .params(to.name(), id)
            .update()
        == 1;
  }

  /** For people: one line for each thing that happened, in the transaction in which it did. */
  void note(String id, String event) {
    jdbc.sql("INSERT INTO shop_order_event (order_id, event) VALUES (?, ?)")
        .params(id, event)
        .update();
  }

  Optional<Order> find(String id) {
    return jdbc.sql("SELECT id, item, status, pay_by AS payBy FROM shop_order WHERE id = ?")
        .param(id)
        .query(Order.class)
        .optional();
  }

  Map<Status, Long> count() {
    Map<Status, Long> counts = new TreeMap<>();
    for (Status each : Status.values()) {
      counts.put(each, 0L);
    }
    jdbc.sql("SELECT status, COUNT(*) AS orders FROM shop_order GROUP BY status")
        .query(
            row -> {
              counts.put(Status.valueOf(row.getString("status")), row.getLong("orders"));
            });
    return counts;
  }
}
