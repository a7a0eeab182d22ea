// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.pocketwatch.DelayStrategy;
import org.junit.jupiter.api.Test;

class DelayRoutesTest {
  private static final DelayRoute EXACT =
      DelayRoute.builder("exact").exchange("orders").routingKey("order.timeout").build();
  private static final DelayRoute EXCHANGE =
      DelayRoute.builder("exchange").exchange("orders").build();
  private static final DelayRoute QUEUE = DelayRoute.builder("queue").routingKey("mail").build();

  private static final DelayRoutes ROUTES =
      DelayRoutes.builder().route(EXCHANGE).route(EXACT).route(QUEUE).build();

  @Test
  void exchange_and_routing_key_match_before_the_exchange_alone() {
    assertThat(ROUTES.match("orders", "order.timeout")).isEqualTo(EXACT);
    assertThat(ROUTES.match("orders", "order.paid")).isEqualTo(EXCHANGE);
  }

  @Test
  void the_order_of_the_routes_does_not_matter() {
    DelayRoutes turned = DelayRoutes.builder().route(EXACT).route(EXCHANGE).build();

    assertThat(turned.match("orders", "order.timeout")).isEqualTo(EXACT);
    assertThat(turned.match("orders", "")).isEqualTo(EXCHANGE);
  }

  @Test
  void a_queue_is_matched_by_its_name_on_the_default_exchange() {
    assertThat(ROUTES.match("", "mail")).isEqualTo(QUEUE);
    assertThat(ROUTES.match("", "other")).isEqualTo(ROUTES.defaults());
  }

  @Test
  void a_target_without_a_route_has_the_defaults() {
    assertThat(ROUTES.match("payments", "mail"))
        .usingRecursiveComparison()
        .isEqualTo(DelayRoute.defaults());
    assertThat(ROUTES.match("Orders", "order.timeout"))
        .usingRecursiveComparison()
        .isEqualTo(DelayRoute.defaults());
  }

  @Test
  void two_routes_to_one_target_are_refused() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                ROUTES.toBuilder()
                    .route(
                        DelayRoute.builder("twin")
                            .exchange("orders")
                            .routingKey("order.timeout")
                            .build())
                    .build())
        .withMessage(
            "routes 'exact' and 'twin' match the same exchange 'orders' and routing-key"
                + " 'order.timeout'");
  }

  @Test
  void two_routes_to_a_whole_exchange_are_refused() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                ROUTES.toBuilder()
                    .route(DelayRoute.builder("twin").exchange("orders").build())
                    .build())
        .withMessageContainingAll("'exchange' and 'twin'", "routing-key (any)");
  }

  @Test
  void two_routes_of_one_name_are_refused() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                ROUTES.toBuilder()
                    .route(DelayRoute.builder("exact").exchange("other").build())
                    .build())
        .withMessage("two routes are named 'exact'");
  }

  @Test
  void an_empty_routing_key_is_a_target_of_its_own() {
    DelayRoute empty = DelayRoute.builder("empty").exchange("orders").routingKey("").build();

    assertThat(ROUTES.toBuilder().route(empty).build().match("orders", "")).isEqualTo(empty);
  }

  @Test
  void a_route_to_nowhere_is_refused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DelayRoute.builder("nowhere").build())
        .withMessageContaining("route 'nowhere' has neither exchange nor routing-key");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DelayRoute.builder("nowhere").routingKey("").build())
        .withMessageContaining("route 'nowhere' has neither exchange nor routing-key");
  }

  @Test
  void immediate_is_no_strategy_of_a_route() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EXACT.toBuilder().strategy(DelayStrategy.IMMEDIATE).build())
        .withMessageContaining("IMMEDIATE");
  }

  @Test
  void finds_routes_by_name() {
    assertThat(ROUTES.named("exact")).isEqualTo(EXACT);
    assertThat(ROUTES.named("defaults"))
        .usingRecursiveComparison()
        .isEqualTo(DelayRoute.defaults());
    assertThat(ROUTES.named("none")).isNull();
  }

  @Test
  void delays_of_all_routes_and_the_defaults_are_collected_once_shortest_first() {
    DelayRoutes routes =
        DelayRoutes.builder()
            .route(EXACT.toBuilder().delays(ofMinutes(30), ofMinutes(15)).build())
            .route(QUEUE.toBuilder().delays(ofMinutes(30)).build())
            .defaults(DelayRoute.defaults().toBuilder().delays(ofHours(1), ofMinutes(1)).build())
            .build();

    assertThat(routes.delays())
        .containsExactly(ofMinutes(1), ofMinutes(15), ofMinutes(30), ofHours(1));
  }

  @Test
  void asks_for_what_a_route_or_the_defaults_name() {
    DelayRoute temporary =
        DelayRoute.defaults().toBuilder().strategy(DelayStrategy.TEMPORARY_QUEUE).build();

    assertThat(ROUTES.asksFor(DelayStrategy.TEMPORARY_QUEUE)).isFalse();
    assertThat(
            ROUTES.toBuilder().defaults(temporary).build().asksFor(DelayStrategy.TEMPORARY_QUEUE))
        .isTrue();
  }

  @Test
  void copies_leave_the_original_alone() {
    DelayRoutes more =
        ROUTES.toBuilder().route(DelayRoute.builder("more").exchange("more").build()).build();

    assertThat(more.routes()).hasSize(4);
    assertThat(ROUTES.routes()).containsExactly(EXCHANGE, EXACT, QUEUE);
  }
}
