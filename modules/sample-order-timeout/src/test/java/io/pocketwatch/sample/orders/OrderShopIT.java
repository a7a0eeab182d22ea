// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.sample.orders;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.sample.orders.Order.Status;
import io.pocketwatch.test.TestBroker;
import io.pocketwatch.test.TestTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** The shop in this JVM, a real broker, and half an hour in a moment. */
@SpringBootTest(properties = {"shop.timeout=30m", "spring.datasource.url=jdbc:h2:mem:shop"})
@TestBroker
class OrderShopIT {
  @Autowired private Checkout checkout;
  @Autowired private Orders orders;
  @Autowired private Timeouts timeouts;
  @Autowired private TestTime pocketwatch;

  @Test
  void an_order_is_cancelled_after_half_an_hour_and_not_before() {
    String order = checkout.place("a watch").id();

    assertThat(pocketwatch.advance(ofMinutes(29))).isZero();
    assertThat(pocketwatch.advance(ofMinutes(1))).isOne();

    await().until(() -> orders.find(order).orElseThrow().status() == Status.CANCELLED);
  }

  @Test
  void the_timeout_of_a_paid_order_is_taken_back() {
    String order = checkout.place("a watch").id();
    checkout.pay(order);

    assertThat(timeouts.cancel(order)).isEqualTo(ChangeOutcome.DONE);
    assertThat(pocketwatch.advance(ofMinutes(30))).isZero();
  }

  @AfterEach
  void nothingWaits() {
    pocketwatch.clear();
  }
}
