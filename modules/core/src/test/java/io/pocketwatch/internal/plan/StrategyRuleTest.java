// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.plan;

import static io.pocketwatch.DelayStrategy.DELAYED_EXCHANGE;
import static io.pocketwatch.DelayStrategy.DELIVERY_TIME;
import static io.pocketwatch.DelayStrategy.IMMEDIATE;
import static io.pocketwatch.DelayStrategy.QUEUE_WHEEL;
import static io.pocketwatch.DelayStrategy.TEMPORARY_QUEUE;
import static io.pocketwatch.DelayStrategy.TTL_QUEUE;
import static io.pocketwatch.internal.plan.PlanFixture.NATIVE;
import static io.pocketwatch.internal.plan.PlanFixture.NOW;
import static io.pocketwatch.internal.plan.PlanFixture.ORDER;
import static io.pocketwatch.internal.plan.PlanFixture.PLAIN;
import static io.pocketwatch.internal.plan.PlanFixture.WITH_PLUGIN;
import static java.time.Duration.ZERO;
import static java.time.Duration.ofDays;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.NativeHold;
import io.pocketwatch.config.DelayLimits;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.HoldOptions.NativeMode;
import io.pocketwatch.config.HoldOptions.TopologyMode;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The selection rule, row by row, as the receipt tells it. */
class StrategyRuleTest {
  private static final Duration LONGEST_PLUGIN = DelayLimits.MAX_DELAYED_EXCHANGE;
  private static final DelayRoute ROUTE =
      DelayRoute.builder("orders").exchange("orders").delays(ofMinutes(15), ofDays(60)).build();

  private final PlanFixture plain = planning(ROUTE);

  @Test
  void what_is_due_is_not_held() {
    chosen(plain, ORDER, IMMEDIATE, "due already");
    chosen(plain, ORDER.delay(ZERO), IMMEDIATE, "due already");
    chosen(plain, ORDER.delay(ofSeconds(-5)), IMMEDIATE, "due already");
    chosen(plain, ORDER.deliverAt(NOW.minusSeconds(1)), IMMEDIATE, "due already");
  }

  @ParameterizedTest
  @EnumSource
  void what_is_due_is_not_held_whatever_is_asked_for(DelayStrategy strategy) {
    chosen(plain, ORDER.strategy(strategy).delay(ZERO), IMMEDIATE, "due already");
  }

  @Test
  void a_configured_delay_has_a_ttl_queue() {
    chosen(plain, ORDER.delay(ofMinutes(15)), TTL_QUEUE, "its delay is one of route orders's");
    chosen(plain, ORDER.delay(ofDays(60)), TTL_QUEUE, "its delay is one of route orders's");
  }

  @Test
  void any_other_delay_rides_the_wheel() {
    chosen(plain, ORDER.delay(ofMinutes(16)), QUEUE_WHEEL, "any delay rides the wheel");
    chosen(plain, ORDER.delay(ofNanos(1)), QUEUE_WHEEL, "any delay rides the wheel");
    chosen(plain, ORDER.delay(ofDays(31)), QUEUE_WHEEL, "any delay rides the wheel");
  }

  @Test
  void an_instant_rides_the_wheel_even_if_it_is_a_configured_delay_away() {
    DelayedMessage message = ORDER.deliverAt(NOW.plus(ofMinutes(15)));

    chosen(plain, message, QUEUE_WHEEL, "any delay rides the wheel");
  }

  @Test
  void another_routes_delay_is_not_ours() {
    DelayedMessage elsewhere = DelayedMessage.to("payments", "k").delay(ofMinutes(15));

    chosen(plain, elsewhere, QUEUE_WHEEL, "any delay rides the wheel");
  }

  @Test
  void the_route_is_asked_before_the_rule() {
    for (DelayStrategy strategy : new DelayStrategy[] {TTL_QUEUE, QUEUE_WHEEL, TEMPORARY_QUEUE}) {
      chosen(
          planning(ROUTE.toBuilder().strategy(strategy).build()),
          ORDER.delay(ofMinutes(15)),
          strategy,
          "asked for by route orders");
    }
  }

  @Test
  void the_message_is_asked_before_the_route() {
    PlanFixture wheel = planning(ROUTE.toBuilder().strategy(QUEUE_WHEEL).build());

    for (DelayStrategy strategy : new DelayStrategy[] {TTL_QUEUE, QUEUE_WHEEL, TEMPORARY_QUEUE}) {
      DelayedMessage message = ORDER.delay(ofMinutes(15)).strategy(strategy);
      chosen(wheel, message, strategy, "asked for by the message");
    }
  }

  @Test
  void where_the_routes_strategy_cannot_hold_the_rule_goes_on_and_says_so() {
    PlanFixture ttl = planning(ROUTE.toBuilder().strategy(TTL_QUEUE).build());
    chosen(
        ttl,
        ORDER.delay(ofMinutes(16)),
        QUEUE_WHEEL,
        "any delay rides the wheel; not TTL_QUEUE: its delay is none of route orders's: [15m, 60d]");

    PlanFixture wheel = planning(ROUTE.toBuilder().strategy(QUEUE_WHEEL).build());
    chosen(
        wheel,
        ORDER.delay(ofDays(60)),
        TTL_QUEUE,
        "its delay is one of route orders's; not QUEUE_WHEEL: its delay is 60d, the longest is 31d");
  }

  @Test
  void the_brokers_own_delay_is_used_where_its_probe_has_passed_and_the_route_asks() {
    DelayRoutes asking = routes(ROUTE.toBuilder().strategy(DELIVERY_TIME).build());
    DelayedMessage message = ORDER.delay(ofDays(3_000));

    chosen(new PlanFixture(asking, NATIVE), message, DELIVERY_TIME, "asked for by route orders");
    chosen(
        new PlanFixture(routes(ROUTE), NATIVE),
        message.strategy(DELIVERY_TIME),
        DELIVERY_TIME,
        "asked for by the message");
  }

  @Test
  void where_its_probe_has_not_passed_the_wheel_serves() {
    BrokerCapabilities older =
        PlanFixture.PLAIN.with(NativeHold.notUsable("it let go at once", null));
    DelayRoutes asking = routes(ROUTE.toBuilder().strategy(DELIVERY_TIME).build());
    DelayedMessage message = ORDER.delay(ofSeconds(5));

    chosen(
        new PlanFixture(asking, older),
        message,
        QUEUE_WHEEL,
        "any delay rides the wheel; not DELIVERY_TIME: it let go at once");
    chosen(
        new PlanFixture(asking, older),
        message.strategy(DELIVERY_TIME),
        QUEUE_WHEEL,
        "the message asked for DELIVERY_TIME, but it let go at once");
    plain
        .refused(message.strategy(DELIVERY_TIME))
        .withMessageContaining("no route names DELIVERY_TIME, and pocketwatch.native is off");
  }

  @Test
  void each_connection_is_planned_for_by_itself() {
    DelayRoutes asking = routes(ROUTE.toBuilder().strategy(DELIVERY_TIME).build());
    BrokerCapabilities older = NATIVE.with(NativeHold.notUsable("it let go at once", null));
    for (DelayPlanner planner :
        List.of(new DelayPlanner(asking, NATIVE), new DelayPlanner(asking, older))) {
      Submission submission = planner.accept(ORDER.delay(ofSeconds(5)), NOW);

      assertThat(planner.plan(submission, NOW, true).strategy()).isEqualTo(DELIVERY_TIME);
      assertThat(planner.plan(submission, NOW, false).strategy()).isEqualTo(QUEUE_WHEEL);
    }
    DelayPlanner nobodyAsks = new DelayPlanner(routes(ROUTE), BrokerCapabilities.unknown("guest"));
    Submission submission = nobodyAsks.accept(ORDER.delay(ofSeconds(5)), NOW);
    assertThat(nobodyAsks.plan(submission, NOW, true).strategy()).isEqualTo(QUEUE_WHEEL);
  }

  @Test
  void with_native_auto_it_takes_the_wheels_place_and_no_others() {
    DelayRoutes auto =
        routes(ROUTE).toBuilder()
            .hold(HoldOptions.builder().nativeMode(NativeMode.AUTO).build())
            .build();

    chosen(
        new PlanFixture(auto, NATIVE),
        ORDER.delay(ofSeconds(5)),
        DELIVERY_TIME,
        "the broker holds any delay itself");
    chosen(
        new PlanFixture(auto, NATIVE),
        ORDER.delay(ofMinutes(15)),
        TTL_QUEUE,
        "its delay is one of route orders's");
    chosen(
        new PlanFixture(
            routes(ROUTE.toBuilder().strategy(QUEUE_WHEEL).build()).toBuilder()
                .hold(auto.hold())
                .build(),
            NATIVE),
        ORDER.delay(ofSeconds(5)),
        QUEUE_WHEEL,
        "asked for by route orders");
  }

  @Test
  void the_plugin_is_used_where_the_broker_has_it_and_the_route_asks() {
    DelayRoute asking = ROUTE.toBuilder().strategy(DELAYED_EXCHANGE).build();
    DelayedMessage message = ORDER.delay(ofSeconds(5));

    chosen(
        new PlanFixture(routes(asking), WITH_PLUGIN),
        message,
        DELAYED_EXCHANGE,
        "asked for by route orders");
    chosen(
        planning(asking),
        message,
        QUEUE_WHEEL,
        "any delay rides the wheel; not DELAYED_EXCHANGE: the broker has no exchange type"
            + " x-delayed-message");
  }

  @Test
  void a_message_may_ask_for_the_plugin_only_where_a_route_names_it() {
    DelayedMessage asking = ORDER.delay(ofSeconds(5)).strategy(DELAYED_EXCHANGE);
    DelayRoute other = DelayRoute.builder("other").exchange("x").strategy(DELAYED_EXCHANGE).build();

    plain
        .refused(asking)
        .withMessageEndingWith("the broker has no exchange type x-delayed-message");
    new PlanFixture(routes(ROUTE), WITH_PLUGIN)
        .refused(asking)
        .withMessageEndingWith("no route names DELAYED_EXCHANGE, so its exchange was not declared");
    chosen(
        new PlanFixture(routes(ROUTE).toBuilder().route(other).build(), WITH_PLUGIN),
        asking,
        DELAYED_EXCHANGE,
        "asked for by the message");
  }

  @Test
  void a_strategy_asked_for_that_cannot_hold_is_refused_with_its_limit() {
    refused(QUEUE_WHEEL, ofDays(31).plusMillis(2), "is 2678400002ms, the longest is 31d");
    refused(TEMPORARY_QUEUE, ofDays(3_649).plusMillis(1), "the longest is 3649d");
    refused(IMMEDIATE, ofSeconds(5), "it is not due for another 5s");
    refused(TTL_QUEUE, ofSeconds(5), "its delay is none of route orders's: [15m, 60d]");
  }

  @Test
  void a_temporary_queue_is_declared_only_by_those_who_declare() {
    DelayRoutes asking = routes(ROUTE.toBuilder().strategy(TEMPORARY_QUEUE).build());
    for (TopologyMode mode : new TopologyMode[] {TopologyMode.VERIFY, TopologyMode.ASSUME}) {
      PlanFixture planning =
          new PlanFixture(
              asking.toBuilder().hold(asking.hold().toBuilder().topology(mode).build()).build(),
              PLAIN);
      String obstacle =
          "it would declare a queue, which pocketwatch.topology: %s leaves to others"
              .formatted(mode.name().toLowerCase(Locale.ROOT));

      planning
          .refused(ORDER.strategy(TEMPORARY_QUEUE).delay(ofSeconds(5)))
          .withMessageEndingWith("TEMPORARY_QUEUE cannot hold it: " + obstacle);
      chosen(
          planning,
          ORDER.delay(ofSeconds(5)),
          QUEUE_WHEEL,
          "any delay rides the wheel; not TEMPORARY_QUEUE: " + obstacle);
      planning
          .refused(ORDER.delay(ofDays(32)))
          .withMessageEndingWith("the wheel up to 31d; TEMPORARY_QUEUE needs topology: declare");
    }
  }

  @Test
  void the_longest_delays_are_held() {
    DelayRoute asking =
        DelayRoute.builder("plugin").exchange("x").strategy(DELAYED_EXCHANGE).build();
    PlanFixture plugin =
        new PlanFixture(routes(ROUTE).toBuilder().route(asking).build(), WITH_PLUGIN);

    chosen(plugin, ORDER.strategy(TEMPORARY_QUEUE).delay(ofDays(3_649)), TEMPORARY_QUEUE);
    chosen(plugin, ORDER.strategy(DELAYED_EXCHANGE).delay(LONGEST_PLUGIN), DELAYED_EXCHANGE);
    plugin
        .refused(ORDER.strategy(DELAYED_EXCHANGE).delay(LONGEST_PLUGIN.plusMillis(1)))
        .withMessageEndingWith("its delay is 4294967296ms, the longest is 4294967295ms");
  }

  @Test
  void what_nothing_holds_is_refused_with_every_limit() {
    plain
        .refused(ORDER.delay(ofDays(32)))
        .withMessage(
            "message o-1: no strategy of route orders can hold a delay of 32d: TTL queues"
                + " [15m, 60d], the wheel up to 31d; TEMPORARY_QUEUE, if asked for, holds up to"
                + " 3649d");
    planning(ROUTE.toBuilder().strategy(TEMPORARY_QUEUE).build())
        .refused(ORDER.delay(ofDays(3_650)))
        .withMessageContaining("a delay of 3650d");
  }

  /** It is planned a moment after it was asked for. */
  @Test
  void the_delay_that_is_refused_is_the_one_that_was_asked_for() {
    DelayedMessage message = ORDER.delay(Duration.ofMillis(1L << 32));

    assertThatExceptionOfType(InvalidMessageException.class)
        .isThrownBy(() -> plain.planAfter(ofMillis(2), message))
        .withMessageContaining("a delay of 4294967296ms:");
    assertThatExceptionOfType(InvalidMessageException.class)
        .isThrownBy(() -> plain.planAfter(ofMillis(2), message.strategy(QUEUE_WHEEL)))
        .withMessageContaining("its delay is 4294967296ms, the longest is 31d");
  }

  @Test
  void a_ttl_queue_is_not_used_for_what_has_waited_longer_than_the_resolution() {
    DelayedMessage message = ORDER.delay(ofMinutes(15));
    // Counted from the millisecond of the call, which was 456 microseconds before it.
    String waited = "it waited 11ms to be sent, which the queue's TTL would add";

    chosenAfter(ofMillis(9), message, TTL_QUEUE, "its delay is one of route orders's");
    chosenAfter(
        ofMillis(10), message, QUEUE_WHEEL, "any delay rides the wheel; not TTL_QUEUE: " + waited);
    chosenAfter(
        ofMillis(10),
        message.strategy(TTL_QUEUE),
        QUEUE_WHEEL,
        "the message asked for TTL_QUEUE, but " + waited);
  }

  @Test
  void a_ttl_queue_is_used_after_a_wait_where_the_wheel_is_too_small() {
    DelayedMessage message = ORDER.delay(ofDays(60));

    chosenAfter(ofSeconds(1), message, TTL_QUEUE, "its delay is one of route orders's");
    chosenAfter(ofSeconds(1), message.strategy(TTL_QUEUE), TTL_QUEUE, "asked for by the message");
  }

  private static DelayRoutes routes(DelayRoute route) {
    return DelayRoutes.builder().route(route).build();
  }

  private static PlanFixture planning(DelayRoute route) {
    return new PlanFixture(routes(route), PLAIN);
  }

  private void refused(DelayStrategy strategy, Duration delay, String reason) {
    plain
        .refused(ORDER.strategy(strategy).delay(delay))
        .withMessageStartingWith("message o-1: " + strategy + " cannot hold it: ")
        .withMessageEndingWith(reason);
  }

  private static void chosen(
      PlanFixture planning, DelayedMessage message, DelayStrategy strategy, String reason) {
    PublishPlan plan = planning.plan(message);
    assertThat(plan.strategy()).isEqualTo(strategy);
    assertThat(plan.reason()).isEqualTo(reason);
  }

  private static void chosen(PlanFixture planning, DelayedMessage message, DelayStrategy strategy) {
    chosen(planning, message, strategy, "asked for by the message");
  }

  private void chosenAfter(
      Duration waited, DelayedMessage message, DelayStrategy strategy, String reason) {
    PublishPlan plan = plain.planAfter(waited, message);
    assertThat(plan.strategy()).isEqualTo(strategy);
    assertThat(plan.reason()).isEqualTo(reason);
  }
}
