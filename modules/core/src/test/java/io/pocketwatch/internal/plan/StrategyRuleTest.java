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
  void whatIsDueIsNotHeld() {
    chosen(plain, ORDER, IMMEDIATE, "due already");
    chosen(plain, ORDER.delay(ZERO), IMMEDIATE, "due already");
    chosen(plain, ORDER.delay(ofSeconds(-5)), IMMEDIATE, "due already");
    chosen(plain, ORDER.deliverAt(NOW.minusSeconds(1)), IMMEDIATE, "due already");
  }

  @ParameterizedTest
  @EnumSource
  void whatIsDueIsNotHeldWhateverIsAskedFor(DelayStrategy strategy) {
    chosen(plain, ORDER.strategy(strategy).delay(ZERO), IMMEDIATE, "due already");
  }

  @Test
  void aConfiguredDelayHasATtlQueue() {
    chosen(plain, ORDER.delay(ofMinutes(15)), TTL_QUEUE, "its delay is one of route orders's");
    chosen(plain, ORDER.delay(ofDays(60)), TTL_QUEUE, "its delay is one of route orders's");
  }

  @Test
  void anyOtherDelayRidesTheWheel() {
    chosen(plain, ORDER.delay(ofMinutes(16)), QUEUE_WHEEL, "any delay rides the wheel");
    chosen(plain, ORDER.delay(ofNanos(1)), QUEUE_WHEEL, "any delay rides the wheel");
    chosen(plain, ORDER.delay(ofDays(31)), QUEUE_WHEEL, "any delay rides the wheel");
  }

  @Test
  void anInstantRidesTheWheelEvenIfItIsAConfiguredDelayAway() {
    DelayedMessage message = ORDER.deliverAt(NOW.plus(ofMinutes(15)));

    chosen(plain, message, QUEUE_WHEEL, "any delay rides the wheel");
  }

  @Test
  void anotherRoutesDelayIsNotOurs() {
    DelayedMessage elsewhere = DelayedMessage.to("payments", "k").delay(ofMinutes(15));

    chosen(plain, elsewhere, QUEUE_WHEEL, "any delay rides the wheel");
  }

  @Test
  void theRouteIsAskedBeforeTheRule() {
    for (DelayStrategy strategy : new DelayStrategy[] {TTL_QUEUE, QUEUE_WHEEL, TEMPORARY_QUEUE}) {
      chosen(
          planning(ROUTE.toBuilder().strategy(strategy).build()),
          ORDER.delay(ofMinutes(15)),
          strategy,
          "asked for by route orders");
    }
  }

  @Test
  void theMessageIsAskedBeforeTheRoute() {
    PlanFixture wheel = planning(ROUTE.toBuilder().strategy(QUEUE_WHEEL).build());

    for (DelayStrategy strategy : new DelayStrategy[] {TTL_QUEUE, QUEUE_WHEEL, TEMPORARY_QUEUE}) {
      DelayedMessage message = ORDER.delay(ofMinutes(15)).strategy(strategy);
      chosen(wheel, message, strategy, "asked for by the message");
    }
  }

  @Test
  void whereTheRoutesStrategyCannotHoldTheRuleGoesOnAndSaysSo() {
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
  void theBrokersOwnDelayIsUsedWhereItsProbeHasPassedAndTheRouteAsks() {
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
  void whereItsProbeHasNotPassedTheWheelServes() {
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
  void eachConnectionIsPlannedForByItself() {
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
  void withNativeAutoItTakesTheWheelsPlaceAndNoOthers() {
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
  void thePluginIsUsedWhereTheBrokerHasItAndTheRouteAsks() {
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
  void aMessageMayAskForThePluginOnlyWhereARouteNamesIt() {
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
  void aStrategyAskedForThatCannotHoldIsRefusedWithItsLimit() {
    refused(QUEUE_WHEEL, ofDays(31).plusMillis(2), "is 2678400002ms, the longest is 31d");
    refused(TEMPORARY_QUEUE, ofDays(3_649).plusMillis(1), "the longest is 3649d");
    refused(IMMEDIATE, ofSeconds(5), "it is not due for another 5s");
    refused(TTL_QUEUE, ofSeconds(5), "its delay is none of route orders's: [15m, 60d]");
  }

  @Test
  void aTemporaryQueueIsDeclaredOnlyByThoseWhoDeclare() {
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
  void theLongestDelaysAreHeld() {
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
  void whatNothingHoldsIsRefusedWithEveryLimit() {
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
  void theDelayThatIsRefusedIsTheOneThatWasAskedFor() {
    DelayedMessage message = ORDER.delay(Duration.ofMillis(1L << 32));

    assertThatExceptionOfType(InvalidMessageException.class)
        .isThrownBy(() -> plain.planAfter(ofMillis(2), message))
        .withMessageContaining("a delay of 4294967296ms:");
    assertThatExceptionOfType(InvalidMessageException.class)
        .isThrownBy(() -> plain.planAfter(ofMillis(2), message.strategy(QUEUE_WHEEL)))
        .withMessageContaining("its delay is 4294967296ms, the longest is 31d");
  }

  @Test
  void aTtlQueueIsNotUsedForWhatHasWaitedLongerThanTheResolution() {
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
  void aTtlQueueIsUsedAfterAWaitWhereTheWheelIsTooSmall() {
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
