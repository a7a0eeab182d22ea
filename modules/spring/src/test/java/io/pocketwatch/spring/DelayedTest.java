// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.DelayStrategy;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.Message;

class DelayedTest {
  private static final Instant CLOSING = Instant.parse("2026-11-27T18:00:00Z");

  @Test
  void two_that_ask_for_the_same_are_equal() {
    assertThat(Delayed.delay(Duration.ofMinutes(30)))
        .isEqualTo(Delayed.delay(Duration.ofSeconds(1800)))
        .hasSameHashCodeAs(Delayed.delay(Duration.ofSeconds(1800)))
        .isNotEqualTo(Delayed.delay(Duration.ofMinutes(31)))
        .isNotEqualTo(Delayed.deliverAt(CLOSING))
        .isNotEqualTo(Delayed.delay(Duration.ofMinutes(30)).id("17"))
        .isNotEqualTo(null);
    assertThat(Delayed.deliverAt(CLOSING).id("17").route("orders"))
        .isEqualTo(Delayed.deliverAt(CLOSING).route("orders").id("17"));
  }

  @Test
  void as_headers_it_asks_for_the_same() {
    Message message = new Message(new byte[0]);
    Delayed asked = Delayed.deliverAt(CLOSING).id("17");
    asked.headers().forEach(message.getMessageProperties()::setHeader);
    assertThat(message).isEqualTo(asked.postProcessMessage(new Message(new byte[0])));
  }

  @Test
  void a_failed_assertion_says_what_each_asks_for() {
    assertThat(Delayed.delay(Duration.ofMinutes(30))).hasToString("Delayed[delay=PT30M]");
    assertThat(
            Delayed.deliverAt(CLOSING)
                .id("17")
                .businessKey("customer-4")
                .route("orders")
                .strategy(DelayStrategy.TEMPORARY_QUEUE))
        .hasToString(
            "Delayed[deliverAt=2026-11-27T18:00:00Z, id=17, businessKey=customer-4, route=orders,"
                + " strategy=TEMPORARY_QUEUE]");
  }
}
