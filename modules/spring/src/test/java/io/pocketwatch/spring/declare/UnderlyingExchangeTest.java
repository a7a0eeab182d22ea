// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.declare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.core.CustomExchange;
import org.springframework.amqp.core.DirectExchange;
import org.springframework.amqp.core.Exchange;
import org.springframework.amqp.core.ExchangeBuilder;

class UnderlyingExchangeTest {

  @Test
  void the_underlying_type_takes_over_with_the_other_arguments() throws DelayedExchangeException {
    UnderlyingExchange underlying =
        UnderlyingExchange.of(
            "orders", Map.of("x-delayed-type", "topic", "alternate-exchange", "lost"));

    assertThat(underlying.type()).isEqualTo("topic");
    assertThat(underlying.arguments()).isEqualTo(Map.of("alternate-exchange", "lost"));
  }

  @Test
  void a_delayed_exchange_and_one_of_the_plugins_type_need_the_plugin() {
    Exchange delayed = ExchangeBuilder.directExchange("orders").delayed().build();
    assertThat(DelayedRabbitAdmin.needsPlugin(delayed)).isTrue();
    assertThat(DelayedRabbitAdmin.needsPlugin(new CustomExchange("orders", "x-delayed-message")))
        .isTrue();
    assertThat(DelayedRabbitAdmin.needsPlugin(new DirectExchange("orders"))).isFalse();
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", " ", "x-delayed-message"})
  void without_an_underlying_type_the_error_names_the_exchange(@Nullable String type) {
    Map<String, Object> arguments = new HashMap<>();
    if (type != null) {
      arguments.put("x-delayed-type", type);
    }

    assertThatThrownBy(() -> UnderlyingExchange.of("orders", arguments))
        .isInstanceOfSatisfying(
            DelayedExchangeException.class, e -> assertThat(e.exchange()).isEqualTo("orders"))
        .hasMessageContaining("'orders'")
        .hasMessageContaining("x-delayed-type");
  }

  @Test
  void a_type_that_is_no_text_is_refused() {
    assertThatThrownBy(() -> UnderlyingExchange.of("orders", Map.of("x-delayed-type", 7)))
        .isInstanceOf(DelayedExchangeException.class)
        .hasMessageContaining("x-delayed-type is 7 (Integer), which is no text");
  }
}
