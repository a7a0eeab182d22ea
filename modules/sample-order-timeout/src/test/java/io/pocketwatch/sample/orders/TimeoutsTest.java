// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.sample.orders;

import static io.pocketwatch.spring.Delayed.delay;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

import io.pocketwatch.store.SchedulingStore;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.core.RabbitTemplate;

/** Without a broker: what is asked of the template. */
class TimeoutsTest {
  private final RabbitTemplate rabbit = mock(RabbitTemplate.class);
  private final Timeouts timeouts =
      new Timeouts(rabbit, mock(SchedulingStore.class), Duration.ofMinutes(30));

  @Test
  void an_order_asks_for_its_timeout_under_its_id() {
    timeouts.start("order-4711");

    verify(rabbit)
        .convertAndSend(
            "shop", "order.timeout", "order-4711", delay(Duration.ofMinutes(30)).id("order-4711"));
  }
}
