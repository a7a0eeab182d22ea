// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.NativeHold;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.assertj.core.api.ThrowableAssertAlternative;

/** One planner and a fixed instant, with microseconds as a real clock has them. */
record PlanFixture(DelayRoutes routes, BrokerCapabilities broker) {
  static final BrokerCapabilities PLAIN =
      new BrokerCapabilities("4.3.6", false, true, 131_072, "guest");
  static final BrokerCapabilities WITH_PLUGIN =
      new BrokerCapabilities("4.3.6", true, true, 131_072, "guest");
  static final BrokerCapabilities NATIVE = PLAIN.with(NativeHold.usable(Duration.ZERO));
  static final Instant NOW = Instant.parse("2026-03-01T10:15:30.123456Z");
  static final DelayedMessage ORDER = DelayedMessage.to("orders", "order.timeout").id("o-1");

  static PlanFixture with(DelayRoutes routes) {
    return new PlanFixture(routes, PLAIN);
  }

  Submission accept(DelayedMessage message) {
    return new DelayPlanner(routes, broker).accept(message, NOW);
  }

  PublishPlan plan(DelayedMessage message) {
    return planAfter(Duration.ZERO, message);
  }

  /** As accepted now and sent later. */
  PublishPlan planAfter(Duration waited, DelayedMessage message) {
    return new DelayPlanner(routes, broker).plan(accept(message), NOW.plus(waited));
  }

  ThrowableAssertAlternative<InvalidMessageException> refused(DelayedMessage message) {
    return assertThatExceptionOfType(InvalidMessageException.class)
        .isThrownBy(() -> plan(message))
        .satisfies(refusal -> assertThat(refusal.id()).isNotNull());
  }

  /** How long the planned hold is, read off what would be published. */
  static Duration hold(PublishPlan plan) {
    return switch (plan.strategy()) {
      case IMMEDIATE -> Duration.ZERO;
      case TTL_QUEUE, QUEUE_WHEEL ->
          bcc(plan).stream().map(PlanFixture::wait).reduce(Duration.ZERO, Duration::plus);
      case TEMPORARY_QUEUE ->
          Duration.ofMillis((Long) plan.temporaryQueue().queue().arguments().get("x-message-ttl"));
      case DELAYED_EXCHANGE ->
          Duration.ofMillis((Long) plan.properties().getHeaders().get("x-delay"));
      case DELIVERY_TIME -> Duration.ofMillis(Long.parseLong(plan.properties().getExpiration()));
      case STORE -> throw new AssertionError("a plan never stores");
    };
  }

  @SuppressWarnings("unchecked")
  static List<String> bcc(PublishPlan plan) {
    return (List<String>) plan.properties().getHeaders().get("BCC");
  }

  /** {@code pw-1m-5} is five minutes; keys to destinations are no wait. */
  private static Duration wait(String key) {
    String[] parts = key.split("-");
    if (parts[1].equals("ttl")) {
      return Duration.ofMillis(Long.parseLong(parts[2]));
    }
    return Character.isDigit(parts[1].charAt(0))
        ? DurationText.parse(parts[1]).multipliedBy(Long.parseLong(parts[2]))
        : Duration.ZERO;
  }
}
