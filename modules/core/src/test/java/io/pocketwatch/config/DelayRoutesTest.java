// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.pocketwatch.DelayStrategy;
import org.junit.jupiter.api.Test;

class DelayRoutesTest {
  private static final DelayRoute EXACT = DelayRoute.to("exact", "orders", "order.timeout");
  private static final DelayRoute EXCHANGE = DelayRoute.toExchange("exchange", "orders");
  private static final DelayRoute QUEUE = DelayRoute.to("queue", "", "mail");

  private static final DelayRoutes ROUTES =
      DelayRoutes.none().withRoute(EXCHANGE).withRoute(EXACT).withRoute(QUEUE);

  @Test
  void exchangeAndRoutingKeyMatchBeforeTheExchangeAlone() {
    assertThat(ROUTES.match("orders", "order.timeout")).isEqualTo(EXACT);
    assertThat(ROUTES.match("orders", "order.paid")).isEqualTo(EXCHANGE);
  }

  @Test
  void theOrderOfTheRoutesDoesNotMatter() {
    DelayRoutes turned = DelayRoutes.none().withRoute(EXACT).withRoute(EXCHANGE);

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
    assertThat(ROUTES.match("payments", "mail")).isEqualTo(DelayRoute.defaults());
    assertThat(ROUTES.match("Orders", "order.timeout")).isEqualTo(DelayRoute.defaults());
  }

  @Test
  void twoRoutesToOneTargetAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ROUTES.withRoute(DelayRoute.to("twin", "orders", "order.timeout")))
        .withMessage(
            "routes 'exact' and 'twin' match the same exchange 'orders' and routing-key"
                + " 'order.timeout'");
  }

  @Test
  void twoRoutesToAWholeExchangeAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ROUTES.withRoute(DelayRoute.toExchange("twin", "orders")))
        .withMessageContainingAll("'exchange' and 'twin'", "routing-key (any)");
  }

  @Test
  void twoRoutesOfOneNameAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ROUTES.withRoute(DelayRoute.toExchange("exact", "other")))
        .withMessage("two routes are named 'exact'");
  }

  @Test
  void anEmptyRoutingKeyIsATargetOfItsOwn() {
    DelayRoute empty = DelayRoute.to("empty", "orders", "");

    assertThat(ROUTES.withRoute(empty).match("orders", "")).isEqualTo(empty);
  }

  @Test
  void aRouteToNowhereIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DelayRoute.toExchange("nowhere", ""))
        .withMessageContaining("route 'nowhere' has neither exchange nor routing-key");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DelayRoute.to("nowhere", "", ""))
        .withMessageContaining("route 'nowhere' has neither exchange nor routing-key");
  }

  @Test
  void immediateIsNoStrategyOfARoute() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EXACT.withStrategy(DelayStrategy.IMMEDIATE))
        .withMessageContaining("IMMEDIATE");
  }

  @Test
  void findsRoutesByName() {
    assertThat(ROUTES.named("exact")).isEqualTo(EXACT);
    assertThat(ROUTES.named("defaults")).isEqualTo(DelayRoute.defaults());
    assertThat(ROUTES.named("none")).isNull();
  }

  @Test
  void delaysOfAllRoutesAndTheDefaultsAreCollectedOnceShortestFirst() {
    DelayRoutes routes =
        DelayRoutes.none()
            .withRoute(EXACT.withDelays(ofMinutes(30), ofMinutes(15)))
            .withRoute(QUEUE.withDelays(ofMinutes(30)))
            .withDefaults(DelayRoute.defaults().withDelays(ofHours(1), ofMinutes(1)));

    assertThat(routes.delays())
        .containsExactly(ofMinutes(1), ofMinutes(15), ofMinutes(30), ofHours(1));
  }

  @Test
  void asksForWhatARouteOrTheDefaultsName() {
    DelayRoute temporary = DelayRoute.defaults().withStrategy(DelayStrategy.TEMPORARY_QUEUE);

    assertThat(ROUTES.asksFor(DelayStrategy.TEMPORARY_QUEUE)).isFalse();
    assertThat(ROUTES.withDefaults(temporary).asksFor(DelayStrategy.TEMPORARY_QUEUE)).isTrue();
  }

  @Test
  void copiesLeaveTheOriginalAlone() {
    DelayRoutes more = ROUTES.withRoute(DelayRoute.toExchange("more", "more"));

    assertThat(more.routes()).hasSize(4);
    assertThat(ROUTES.routes()).containsExactly(EXCHANGE, EXACT, QUEUE);
  }
}
