// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.pocketwatch.BrokerClock;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.PublishReceipt.Cause;
import io.pocketwatch.PublisherEvent;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class PocketwatchMetricsTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final PocketwatchMetrics metrics = new PocketwatchMetrics(registry);

  @Test
  void receipts_count_by_route_strategy_and_outcome() {
    metrics.onEvent(new PublisherEvent.Published(receipt(PublishOutcome.CONFIRMED)));
    metrics.onEvent(new PublisherEvent.Published(receipt(PublishOutcome.CONFIRMED)));
    metrics.onEvent(new PublisherEvent.Published(receipt(PublishOutcome.REJECTED)));

    assertThat(
            registry
                .get("pocketwatch.published")
                .tags("route", "orders", "strategy", "QUEUE_WHEEL", "outcome", "CONFIRMED")
                .counter()
                .count())
        .isEqualTo(2);
  }

  @Test
  void every_meter_says_what_it_is() {
    metrics.onEvent(new PublisherEvent.Published(receipt(PublishOutcome.CONFIRMED)));
    metrics.onEvent(
        new PublisherEvent.Sent("o-2", "orders", DelayStrategy.QUEUE_WHEEL, Instant.EPOCH));

    assertThat(registry.getMeters())
        .hasSize(5)
        .allSatisfy(meter -> assertThat(meter.getId().getDescription()).isNotBlank());
  }

  @Test
  void the_brokers_clock_is_a_gauge_once_a_probe_has_shown_it() {
    assertThat(registry.get("pocketwatch.broker.clock.offset").gauge().value()).isNaN();

    metrics.onEvent(
        new PublisherEvent.BrokerClockSeen(new BrokerClock("hold", Duration.ofMillis(-20_400))));

    assertThat(registry.get("pocketwatch.broker.clock.offset").gauge().value()).isEqualTo(-20.4);
  }

  private static PublishReceipt receipt(PublishOutcome outcome) {
    return new PublishReceipt(
        "o-1",
        "orders",
        outcome,
        Cause.NONE,
        "",
        DelayStrategy.QUEUE_WHEEL,
        "why",
        Instant.EPOCH,
        Duration.ZERO,
        false);
  }
}
