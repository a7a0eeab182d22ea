// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.tracking.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.pocketwatch.NativeHold;
import io.pocketwatch.PublisherEvent;
import io.pocketwatch.guard.ConsumerEvent;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore.Begun;
import io.pocketwatch.store.StoreEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TrackingMetricsTest {
  private static final MessageKey KEY = new MessageKey("orders", "o-1");

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final TrackingMetrics metrics = new TrackingMetrics(registry);

  @Test
  void lateness_is_a_timer() {
    metrics.onEvent(new ConsumerEvent.Delivered("billing", KEY, "orders", Duration.ofMillis(30)));
    metrics.onEvent(new ConsumerEvent.Delivered("billing", KEY, "orders", Duration.ofMillis(-2)));

    assertThat(registry.get("pocketwatch.lateness").timer().max(TimeUnit.MILLISECONDS))
        .isEqualTo(30);
    metrics.onEvent(
        new ConsumerEvent.Delivered("billing", KEY, "orders", Duration.ofSeconds(Long.MAX_VALUE)));
    assertThat(registry.get("pocketwatch.lateness").timer().count()).isEqualTo(3);
  }

  @Test
  void a_message_without_a_row_counts_for_the_route_that_is_configured_for_it() {
    metrics.onEvent(new ConsumerEvent.Delivered("billing", null, "mail", Duration.ofMillis(30)));
    metrics.onEvent(new ConsumerEvent.HeldAgain("billing", null, "mail", Instant.EPOCH));

    assertThat(registry.get("pocketwatch.lateness").tag("route", "mail").timer().count())
        .isEqualTo(1);
    assertThat(registry.get("pocketwatch.held.again").tag("route", "mail").counter().count())
        .isEqualTo(1);
  }

  @Test
  void every_meter_says_what_it_is() {
    metrics.onEvent(new StoreEvent.Loaded("orders", 5, Duration.ofMillis(30)));
    metrics.onEvent(new ConsumerEvent.Delivered("billing", KEY, "orders", Duration.ofMillis(30)));
    metrics.onEvent(new ConsumerEvent.Settled("billing", KEY));
    metrics.onEvent(new ConsumerEvent.Stopped("billing", "its queue was deleted"));

    assertThat(registry.getMeters())
        .filteredOn(meter -> !meter.getId().getName().endsWith(".percentile")) // Micrometer's own
        .hasSize(9)
        .allSatisfy(meter -> assertThat(meter.getId().getDescription()).isNotBlank());
  }

  @Test
  void every_skip_says_why() {
    metrics.onEvent(new ConsumerEvent.Skipped("billing", KEY, Begun.Verdict.CANCELLED));

    assertThat(
            registry
                .get("pocketwatch.skipped")
                .tags("route", "orders", "consumer", "billing", "why", "CANCELLED")
                .counter()
                .count())
        .isEqualTo(1);
  }

  @Test
  void what_a_publisher_tells_counts_too() {
    metrics.onEvent(new PublisherEvent.NativeHoldSeen(NativeHold.usable(Duration.ZERO)));

    assertThat(registry.get("pocketwatch.delivery.time.usable").gauge().value()).isEqualTo(1);
  }
}
