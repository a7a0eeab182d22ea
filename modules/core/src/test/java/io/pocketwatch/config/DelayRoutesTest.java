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
  void exchangeAndRoutingKeyMatchBeforeTheExchangeAlone() {
    assertThat(ROUTES.match("orders", "order.timeout")).isEqualTo(EXACT);
    assertThat(ROUTES.match("orders", "order.paid")).isEqualTo(EXCHANGE);
  }

  @Test
  void theOrderOfTheRoutesDoesNotMatter() {
    DelayRoutes turned = DelayRoutes.builder().route(EXACT).route(EXCHANGE).build();

    assertThat(turned.match("orders", "order.timeout")).isEqualTo(EXACT);
    assertThat(turned.match("orders", "")).isEqualTo(EXCHANGE);
  }

  @Test
  void aQueueIsMatchedByItsNameOnTheDefaultExchange() {
    assertThat(ROUTES.match("", "mail")).isEqualTo(QUEUE);
    assertThat(ROUTES.match("", "other")).isEqualTo(ROUTES.defaults());
  }

  @Test
  void aTargetWithoutARouteHasTheDefaults() {
    assertThat(ROUTES.match("payments", "mail"))
        .usingRecursiveComparison()
        .isEqualTo(DelayRoute.defaults());
    assertThat(ROUTES.match("Orders", "order.timeout"))
        .usingRecursiveComparison()
        .isEqualTo(DelayRoute.defaults());
  }

  @Test
  void twoRoutesToOneTargetAreRefused() {
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
  void twoRoutesToAWholeExchangeAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                ROUTES.toBuilder()
                    .route(DelayRoute.builder("twin").exchange("orders").build())
                    .build())
        .withMessageContainingAll("'exchange' and 'twin'", "routing-key (any)");
  }

  @Test
  void twoRoutesOfOneNameAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                ROUTES.toBuilder()
                    .route(DelayRoute.builder("exact").exchange("other").build())
                    .build())
        .withMessage("two routes are named 'exact'");
  }

  @Test
  void anEmptyRoutingKeyIsATargetOfItsOwn() {
    DelayRoute empty = DelayRoute.builder("empty").exchange("orders").routingKey("").build();

    assertThat(ROUTES.toBuilder().route(empty).build().match("orders", "")).isEqualTo(empty);
  }

  @Test
  void aRouteToNowhereIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DelayRoute.builder("nowhere").build())
        .withMessageContaining("route 'nowhere' has neither exchange nor routing-key");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DelayRoute.builder("nowhere").routingKey("").build())
        .withMessageContaining("route 'nowhere' has neither exchange nor routing-key");
  }

  @Test
  void immediateIsNoStrategyOfARoute() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EXACT.toBuilder().strategy(DelayStrategy.IMMEDIATE).build())
        .withMessageContaining("IMMEDIATE");
  }

  @Test
  void findsRoutesByName() {
    assertThat(ROUTES.named("exact")).isEqualTo(EXACT);
    assertThat(ROUTES.named("defaults"))
        .usingRecursiveComparison()
        .isEqualTo(DelayRoute.defaults());
    assertThat(ROUTES.named("none")).isNull();
  }

  @Test
  void delaysOfAllRoutesAndTheDefaultsAreCollectedOnceShortestFirst() {
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
  void asksForWhatARouteOrTheDefaultsName() {
    DelayRoute temporary =
        DelayRoute.defaults().toBuilder().strategy(DelayStrategy.TEMPORARY_QUEUE).build();

    assertThat(ROUTES.asksFor(DelayStrategy.TEMPORARY_QUEUE)).isFalse();
    assertThat(
            ROUTES.toBuilder().defaults(temporary).build().asksFor(DelayStrategy.TEMPORARY_QUEUE))
        .isTrue();
  }

  @Test
  void copiesLeaveTheOriginalAlone() {
    DelayRoutes more =
        ROUTES.toBuilder().route(DelayRoute.builder("more").exchange("more").build()).build();

    assertThat(more.routes()).hasSize(4);
    assertThat(ROUTES.routes()).containsExactly(EXCHANGE, EXACT, QUEUE);
  }
}
