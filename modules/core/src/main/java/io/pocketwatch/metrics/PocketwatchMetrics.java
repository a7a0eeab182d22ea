// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.pocketwatch.NativeHold;
import io.pocketwatch.PocketwatchEvent;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.PublisherEvent;
import java.time.Duration;

/**
 * Meters of publishers, from their events. With a store use {@code
 * io.pocketwatch.tracking.metrics.TrackingMetrics} instead, which includes these.
 *
 * <p>All names begin with {@code pocketwatch.}. Tags are configured names, never ids, so their
 * number is bounded.
 *
 * <ul>
 *   <li>{@code published} (route, strategy, outcome) counts publish calls, {@code sent} (route,
 *       strategy) the messages that a {@code RabbitTemplate} of Spring has sent.
 *   <li>{@code broker.clock.offset} is in seconds: positive if the broker's clock is ahead, 0 if it
 *       may be right, NaN until a probe has come back.
 *   <li>{@code delivery.time.usable} is 1 where {@code DELIVERY_TIME} is used, 0 where the wheel is
 *       used instead, NaN where it is not asked for.
 *   <li>{@code delivery.time.clock.offset} is in seconds, by the probe of {@code DELIVERY_TIME};
 *       NaN without one.
 * </ul>
 */
public final class PocketwatchMetrics implements PocketwatchListener {
  private static final String PREFIX = "pocketwatch.";

  private final MeterRegistry registry;
  private volatile double clockOffset = Double.NaN;
  private volatile NativeHold nativeHold = NativeHold.NOT_ASKED;

  public PocketwatchMetrics(MeterRegistry registry) {
    this.registry = registry;
    Gauge.builder(PREFIX + "broker.clock.offset", () -> clockOffset)
        .description("By how much at least the broker's clock is ahead of this machine's")
        .baseUnit("seconds")
        .register(registry);
    Gauge.builder(PREFIX + "delivery.time.usable", () -> usable(nativeHold))
        .description("Whether messages are held by their delivery time where that is asked for")
        .register(registry);
    Gauge.builder(PREFIX + "delivery.time.clock.offset", () -> offset(nativeHold))
        .description("By how much the clock that holds by delivery time is ahead of this machine's")
        .baseUnit("seconds")
        .register(registry);
  }

  private static double usable(NativeHold hold) {
    return hold.isUsable() ? 1 : hold.isMissed() ? 0 : Double.NaN;
  }

  private static double offset(NativeHold hold) {
    Duration ahead = hold.ahead();
    return ahead == null ? Double.NaN : ahead.toMillis() / 1_000.0;
  }

  @Override
  public void onEvent(PocketwatchEvent event) {
    if (event instanceof PublisherEvent.Published published) {
      count(published.receipt());
    } else if (event instanceof PublisherEvent.Sent sent) {
      count(sent);
    } else if (event instanceof PublisherEvent.NativeHoldSeen seen) {
      nativeHold = seen.hold();
    } else if (event instanceof PublisherEvent.BrokerClockSeen seen) {
      clockOffset = seen.clock().ahead().toMillis() / 1_000.0;
    }
  }

  /** Uses the builder, since the registry's short forms differ between versions of Micrometer. */
  private void count(PublishReceipt receipt) {
    Counter.builder(PREFIX + "published")
        .description("Publish calls that have ended")
        .tag("route", receipt.route())
        .tag("strategy", receipt.strategy().name())
        .tag("outcome", receipt.outcome().name())
        .register(registry)
        .increment();
  }

  private void count(PublisherEvent.Sent sent) {
    Counter.builder(PREFIX + "sent")
        .description("Messages that a RabbitTemplate has sent with a delay")
        .tag("route", sent.route())
        .tag("strategy", sent.strategy().name())
        .register(registry)
        .increment();
  }
}
