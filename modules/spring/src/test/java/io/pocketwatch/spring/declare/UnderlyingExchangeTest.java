// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.declare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.core.AbstractExchange;
import org.springframework.amqp.core.CustomExchange;
import org.springframework.amqp.core.DirectExchange;
import org.springframework.amqp.core.Exchange;
import org.springframework.amqp.core.TopicExchange;

class UnderlyingExchangeTest {

  @ParameterizedTest
  @CsvSource({
    "direct, DirectExchange",
    "topic, TopicExchange",
    "fanout, FanoutExchange",
    "headers, HeadersExchange",
    "x-consistent-hash, CustomExchange"
  })
  void the_underlying_type_takes_over_with_the_other_arguments(String type, String springs)
      throws DelayedExchangeException {
    Exchange written =
        new CustomExchange(
            "orders",
            "x-delayed-message",
            false,
            true,
            Map.of("x-delayed-type", type, "alternate-exchange", "lost"));

    Exchange declared = UnderlyingExchange.of(written);

    assertThat(declared.getName()).isEqualTo("orders");
    assertThat(declared.getType()).isEqualTo(type);
    assertThat(declared.getClass().getSimpleName()).isEqualTo(springs);
    assertThat(declared.isDelayed()).isFalse();
    assertThat(declared.isDurable()).isFalse();
    assertThat(declared.isAutoDelete()).isTrue();
    assertThat(declared.getArguments()).isEqualTo(Map.of("alternate-exchange", "lost"));
  }

  @Test
  void a_delayed_exchange_keeps_all_else_and_the_bean_stays_as_it_is()
      throws DelayedExchangeException {
    AbstractExchange written = new TopicExchange("orders");
    Object admin = new Object();
    written.setDelayed(true);
    written.setInternal(true);
    written.setIgnoreDeclarationExceptions(true);
    written.setAdminsThatShouldDeclare(admin);
    written.addArgument("alternate-exchange", "lost");

    Exchange declared = UnderlyingExchange.of(written);

    assertThat(UnderlyingExchange.needsPlugin(declared)).isFalse();
    assertThat(declared.getType()).isEqualTo("topic");
    assertThat(declared.isInternal()).isTrue();
    assertThat(declared.isIgnoreDeclarationExceptions()).isTrue();
    assertThat(declared.getDeclaringAdmins()).singleElement().isSameAs(admin);
    assertThat(declared.getArguments()).isEqualTo(Map.of("alternate-exchange", "lost"));
    assertThat(written.isDelayed()).isTrue();
    assertThat(UnderlyingExchange.needsPlugin(written)).isTrue();
  }

  @Test
  void an_exchange_without_delay_does_not_need_the_plugin() {
    assertThat(UnderlyingExchange.needsPlugin(new DirectExchange("orders"))).isFalse();
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
}
