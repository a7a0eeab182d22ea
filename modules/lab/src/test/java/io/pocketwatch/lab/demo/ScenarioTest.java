// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions.TopologyMode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScenarioTest {

  private static final Duration LENGTH = Duration.ofSeconds(15);

  @Test
  void the_default_demo() {
    List<Order> orders = scenario(2_000, false).orders();

    assertThat(orders).extracting(Order::number).doesNotHaveDuplicates().hasSize(2_000);
    assertThat(byStrategy(orders))
        .containsOnlyKeys(
            DelayStrategy.TTL_QUEUE, DelayStrategy.QUEUE_WHEEL, DelayStrategy.TEMPORARY_QUEUE)
        .containsEntry(DelayStrategy.TEMPORARY_QUEUE, 100L);
    assertThat(orders)
        .filteredOn(Order::paid)
        .hasSize(25)
        .allMatch(order -> order.strategy() == DelayStrategy.TEMPORARY_QUEUE)
        .allMatch(order -> order.timeout().equals(Duration.ofSeconds(10)));
  }

  @Test
  void the_plugin_gets_its_share_where_it_is() {
    assertThat(byStrategy(scenario(2_000, true).orders()).get(DelayStrategy.DELAYED_EXCHANGE))
        .isEqualTo(500);
  }

  @ParameterizedTest
  @CsvSource({"1,5", "2,5", "9,5", "10,60", "2000,15", "5000,3600"})
  void every_order_falls_due_within_the_length(int messages, int seconds) {
    Duration length = Duration.ofSeconds(seconds);
    List<Order> orders = Scenario.of(messages, length, DelayRoutes.none(), true).orders();

    assertThat(orders)
        .hasSize(messages)
        .allMatch(order -> order.timeout().compareTo(Duration.ofMillis(300)) > 0)
        .allMatch(order -> order.placedAfter().plus(order.timeout()).compareTo(length) <= 0);
  }

  @Test
  void as_configured_but_under_names_of_its_own() {
    DelayRoutes configured =
        DelayRoutes.parse(
            """
            pocketwatch:
              name-prefix: production
              topology: verify
              routes: {mail: {exchange: mail, delays: [1h]}}
              wheel: {max-delay: 2s, resolution: 100ms}
              temporary-queues: {max: 7}
              publisher: {channels: 2}
            """,
            "test");
    Scenario scenario = Scenario.of(2_000, LENGTH, configured, false);
    DelayRoutes routes = scenario.routes(configured);

    assertThat(routes.hold().namePrefix()).isEqualTo("pocketwatch-demo");
    assertThat(routes.hold().topology()).isEqualTo(TopologyMode.DECLARE);
    assertThat(routes.hold().wheel()).isEqualTo(configured.hold().wheel());
    assertThat(routes.publisher()).isEqualTo(configured.publisher());
    assertThat(routes.delays())
        .containsExactly(Duration.ofSeconds(2), Duration.ofSeconds(5), Duration.ofSeconds(10));
    assertThat(byStrategy(scenario.orders())).containsEntry(DelayStrategy.TEMPORARY_QUEUE, 7L);
    assertThat(scenario.orders())
        .filteredOn(order -> order.strategy() == DelayStrategy.QUEUE_WHEEL)
        .isNotEmpty()
        .allMatch(order -> order.timeout().compareTo(Duration.ofSeconds(2)) < 0);
  }

  private static Scenario scenario(int messages, boolean plugin) {
    return Scenario.of(messages, LENGTH, DelayRoutes.none(), plugin);
  }

  private static Map<DelayStrategy, Long> byStrategy(List<Order> orders) {
    return orders.stream().collect(Collectors.groupingBy(Order::strategy, Collectors.counting()));
  }
}
