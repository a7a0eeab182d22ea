// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.rows;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.config.WheelOptions;
import io.pocketwatch.internal.plan.DelayPlanner;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The horizon is 25 h away here, and the wheel holds one. */
class StoreRuleTest {
  private static final Instant NOW = Instant.parse("2026-11-24T00:00:00Z");
  private static final DelayedMessage ORDER = DelayedMessage.to("orders", "key");

  private DelayRoutes routes =
      DelayRoutes.builder()
          .hold(
              HoldOptions.builder()
                  .wheel(WheelOptions.builder().maxDelay(Duration.ofHours(1)).build())
                  .build())
          .loader(LoaderOptions.defaults())
          .build();

  @Test
  void what_the_wheel_holds_is_not_stored() {
    assertThat(reason(ORDER.delay(Duration.ofMinutes(59)))).isNull();
  }

  @Test
  void what_it_cannot_hold_is_stored_within_the_horizon_too() {
    assertThat(reason(ORDER.delay(Duration.ofHours(5))))
        .isEqualTo("due beyond what the wheel can hold");
    assertThat(reason(ORDER.delay(Duration.ofHours(30)))).isEqualTo("due beyond the horizon");
  }

  @Test
  void what_has_a_ttl_queue_needs_no_wheel() {
    routes =
        routes.toBuilder()
            .route(
                DelayRoute.builder("orders").exchange("orders").delays(Duration.ofHours(5)).build())
            .build();

    assertThat(reason(ORDER.delay(Duration.ofHours(5)))).isNull();
    assertThat(reason(ORDER.delay(Duration.ofHours(6)))).isNotNull();
  }

  @Test
  void what_its_route_would_have_held_otherwise_but_cannot_is_stored_too() {
    DelayedMessage order = ORDER.delay(Duration.ofHours(5));
    DelayRoute route = DelayRoute.builder("orders").exchange("orders").build();
    DelayRoutes others = routes;
    for (DelayStrategy strategy :
        List.of(
            DelayStrategy.QUEUE_WHEEL, DelayStrategy.TTL_QUEUE, DelayStrategy.DELAYED_EXCHANGE)) {
      routes = others.toBuilder().route(route.toBuilder().strategy(strategy).build()).build();

      assertThat(reason(order)).as("%s", strategy).isNotNull();
    }
    routes =
        others.toBuilder()
            .route(route.toBuilder().strategy(DelayStrategy.TEMPORARY_QUEUE).build())
            .build();

    assertThat(reason(order)).isNull();
  }

  @Test
  void what_asks_for_a_strategy_is_not_stored() {
    assertThat(reason(ORDER.strategy(DelayStrategy.TEMPORARY_QUEUE).delay(Duration.ofHours(30))))
        .isNull();
  }

  private @Nullable String reason(DelayedMessage message) {
    DelayPlanner planner =
        new DelayPlanner(routes, new BrokerCapabilities("4.3.6", false, true, 0, "guest"));
    return new StoreRule(routes, () -> planner, () -> NOW)
        .reasonToStore(planner.accept(message, NOW));
  }
}
