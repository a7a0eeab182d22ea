// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.pocketwatch.BrokerClock;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.PublishReceipt.Cause;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore.Begun;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PocketwatchMetricsTest {
  private static final MessageKey KEY = new MessageKey("orders", "o-1");

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final PocketwatchMetrics metrics = new PocketwatchMetrics(registry);

  @Test
  void receiptsCountByRouteStrategyAndOutcome() {
    metrics.published(receipt(PublishOutcome.CONFIRMED));
    metrics.published(receipt(PublishOutcome.CONFIRMED));
    metrics.published(receipt(PublishOutcome.REJECTED));

    assertThat(
            registry
                .get("pocketwatch.published")
                .tags("route", "orders", "strategy", "QUEUE_WHEEL", "outcome", "CONFIRMED")
                .counter()
                .count())
        .isEqualTo(2);
  }

  @Test
  void latenessIsATimer() {
    metrics.delivered("billing", KEY, Duration.ofMillis(30));
    metrics.delivered("billing", KEY, Duration.ofMillis(-2));

    assertThat(registry.get("pocketwatch.lateness").timer().max(TimeUnit.MILLISECONDS))
        .isEqualTo(30);
    metrics.delivered("billing", KEY, Duration.ofSeconds(Long.MAX_VALUE));
    assertThat(registry.get("pocketwatch.lateness").timer().count()).isEqualTo(3);
  }

  @Test
  void everyMeterSaysWhatItIs() {
    metrics.published(receipt(PublishOutcome.CONFIRMED));
    metrics.loaded("orders", 5, Duration.ofMillis(30));
    metrics.delivered("billing", KEY, Duration.ofMillis(30));
    metrics.settled("billing", KEY);
    metrics.stopped("billing", "its queue was deleted");

    assertThat(registry.getMeters())
        .filteredOn(meter -> !meter.getId().getName().endsWith(".percentile")) // Micrometer's own
        .hasSize(10)
        .allSatisfy(meter -> assertThat(meter.getId().getDescription()).isNotBlank());
  }

  @Test
  void everySkipSaysWhy() {
    metrics.skipped("billing", KEY, Begun.Verdict.CANCELLED);

    assertThat(
            registry
                .get("pocketwatch.skipped")
                .tags("route", "orders", "consumer", "billing", "why", "CANCELLED")
                .counter()
                .count())
        .isEqualTo(1);
  }

  @Test
  void the_brokers_clock_is_a_gauge_once_a_probe_has_shown_it() {
    assertThat(registry.get("pocketwatch.broker.clock.offset").gauge().value()).isNaN();

    metrics.brokerClock(new BrokerClock("hold", Duration.ofMillis(-20_400)));

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
