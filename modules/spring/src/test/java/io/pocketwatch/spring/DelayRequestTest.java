// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.plan.DeliveryTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageBuilder;
import org.springframework.amqp.core.MessageProperties;

class DelayRequestTest {
  @Test
  void the_brokers_own_header_for_an_instant_asks_for_it() {
    Message message = message().setHeader(DeliveryTime.HEADER, 4_000_000_000_000L).build();

    DelayedMessage asked = DelayRequest.of("orders", "key", message, DelayRoutes.none());

    assertThat(asked.properties().getHeaders())
        .containsEntry(DeliveryTime.HEADER, 4_000_000_000_000L);
    assertThat(DelayRequest.forDelay(message)).isTrue();
  }

  @Test
  void beside_another_delay_both_are_passed_on_for_them_to_be_compared() {
    Message message =
        message()
            .setHeader(DeliveryTime.HEADER, 4_000_000_000_000L)
            .setHeader(MessageProperties.X_DELAY, 5_000L)
            .build();

    DelayedMessage asked = DelayRequest.of("orders", "key", message, DelayRoutes.none());

    assertThat(asked.delay()).isEqualTo(Duration.ofSeconds(5));
    assertThat(asked.properties().getHeaders()).containsKey(DeliveryTime.HEADER);
  }

  @Test
  void without_any_of_them_nothing_is_asked() {
    assertThat(DelayRequest.of("orders", "key", message().build(), DelayRoutes.none())).isNull();
    Message delayedBefore = message().setHeader(MessageProperties.X_DELAY, -5_000L).build();
    assertThat(DelayRequest.of("orders", "key", delayedBefore, DelayRoutes.none())).isNull();
  }

  private static MessageBuilder message() {
    return MessageBuilder.withBody(new byte[0]);
  }
}
