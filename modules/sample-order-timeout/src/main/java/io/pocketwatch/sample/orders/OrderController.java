// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.sample.orders;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.sample.orders.Order.Status;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** {@code /orders}. */
@RestController
@RequestMapping("/orders")
class OrderController {
  private final Checkout checkout;
  private final Orders orders;
  private final Timeouts timeouts;

  OrderController(Checkout checkout, Orders orders, Timeouts timeouts) {
    this.checkout = checkout;
    this.orders = orders;
    this.timeouts = timeouts;
  }

  record NewOrder(String item) {}

  /**
   * The answer to a payment.
   *
   * @param timeout what became of the message: DONE, it was taken back; TOO_LATE or BEING_HANDLED,
   *     it was on its way already, and finds the order paid
   */
  record Paid(String id, Status status, ChangeOutcome timeout) {}

  @PostMapping
  @ResponseStatus(HttpStatus.CREATED)
  Order place(@RequestBody NewOrder order) {
    return checkout.place(order.item());
  }

  @PostMapping("/{id}/pay")
  ResponseEntity<?> pay(@PathVariable String id) {
    Order order = checkout.pay(id).orElse(null);
    if (order == null) {
      return ResponseEntity.notFound().build();
    }
    return order.status() == Status.PAID
        ? ResponseEntity.ok(new Paid(id, order.status(), timeouts.cancel(id)))
        : ResponseEntity.status(HttpStatus.CONFLICT).body(order);
  }

  @GetMapping("/{id}")
  ResponseEntity<Order> find(@PathVariable String id) {
    return ResponseEntity.of(orders.find(id));
  }

  @GetMapping
  Map<Status, Long> count() {
    return orders.count();
  }
}
