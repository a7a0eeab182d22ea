// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.tracking.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.pocketwatch.PocketwatchEvent;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.guard.ConsumerEvent;
import io.pocketwatch.metrics.PocketwatchMetrics;
import io.pocketwatch.store.HandOffResult;
import io.pocketwatch.store.StoreEvent;
import java.time.Duration;

/**
 * Meters of publishers with a store, loaders and guards, from their events. They include those of
 * {@link PocketwatchMetrics}. {@link StoreGauges} adds those for which the store must be asked.
 *
 * <ul>
 *   <li>Hand-off of stored messages counts {@code handed.over} (route, outcome).
 *   <li>Loading counts {@code loaded}, {@code parked}, {@code target.missing}, {@code returned}
 *       (route) and {@code abandoned}; {@code load.batch} is a timer.
 *   <li>Handling counts, by route and consumer, {@code settled}, {@code overtaken}, {@code failed},
 *       {@code deferred}, {@code skipped} (why), {@code held.again}, {@code other.consumer}, {@code
 *       unknown} and {@code store.unreachable}; {@code lateness} is a timer.
 *   <li>{@code consumer.stopped} is counted by consumer.
 * </ul>
 */
public final class TrackingMetrics implements PocketwatchListener {
  private static final String PREFIX = "pocketwatch.";

  /** The longest lateness: a longer one, as of a forged header, would overflow a timer. */
  private static final Duration LATEST = Duration.ofDays(36_500);

  private final MeterRegistry registry;
  private final PocketwatchMetrics publisher;

  public TrackingMetrics(MeterRegistry registry) {
    this.registry = registry;
    this.publisher = new PocketwatchMetrics(registry);
    // Registered at zero: it is so rare that the first one must show as a rise.
    count("abandoned", "Begun and not ended, and sent again", 0, Tags.empty());
  }

  @Override
  public void onEvent(PocketwatchEvent event) {
    if (event instanceof ConsumerEvent consumer) {
      on(consumer);
    } else if (event instanceof StoreEvent store) {
      on(store);
    } else {
      publisher.onEvent(event);
    }
  }

  private void on(StoreEvent event) {
    if (event instanceof StoreEvent.HandedOff handedOff) {
      HandOffResult result = handedOff.result();
      String route = result.claim().key().route();
      count(
          "handed.over",
          "Stored messages sent to the broker",
          1,
          Tags.of("route", route).and("outcome", result.outcome().name()));
    } else if (event instanceof StoreEvent.Loaded loaded) {
      String route = loaded.route();
      count(
          "loaded", "Messages a loader has handed off", loaded.messages(), Tags.of("route", route));
      Timer.builder(PREFIX + "load.batch")
          .description("How long a batch of a loader took")
          .tag("route", route)
          .register(registry)
          .record(loaded.took());
    } else if (event instanceof StoreEvent.Parked parked) {
      String route = parked.key().route();
      count("parked", "Messages given up, with a reason", 1, Tags.of("route", route));
    } else if (event instanceof StoreEvent.TargetMissing missing) {
      count(
          "target.missing",
          "Stored messages that wait for a missing target",
          1,
          Tags.of("route", missing.key().route()));
    } else if (event instanceof StoreEvent.Recovered recovered) {
      count(
          "returned",
          "Stored messages the broker no longer has, to be loaded again",
          recovered.messages(),
          Tags.of("route", recovered.route()));
    } else if (event instanceof StoreEvent.Abandoned abandoned) {
      count("abandoned", "Begun and not ended, and sent again", abandoned.messages(), Tags.empty());
    }
  }

  private void on(ConsumerEvent event) {
    if (event instanceof ConsumerEvent.Delivered delivered) {
      if (delivered.lateness() != null) {
        Timer.builder(PREFIX + "lateness")
            .description("Arrival minus deliverAt")
            .tags(consumer(event))
            .publishPercentiles(0.5, 0.99)
            .register(registry)
            .record(bounded(delivered.lateness()));
      }
    } else if (event instanceof ConsumerEvent.Settled) {
      count("settled", "Handlings that settled a message", 1, consumer(event));
    } else if (event instanceof ConsumerEvent.Overtaken) {
      count("overtaken", "Handlings whose message was changed meanwhile", 1, consumer(event));
    } else if (event instanceof ConsumerEvent.Failed) {
      count("failed", "Handlings that failed", 1, consumer(event));
    } else if (event instanceof ConsumerEvent.Deferred) {
      count("deferred", "Messages that come again as another attempt", 1, consumer(event));
    } else if (event instanceof ConsumerEvent.Skipped skipped) {
      count(
          "skipped",
          "Copies that were not handled",
          1,
          consumer(event).and("why", skipped.verdict().name()));
    } else if (event instanceof ConsumerEvent.HeldAgain) {
      count("held.again", "Copies sent back until they are due", 1, consumer(event));
    } else if (event instanceof ConsumerEvent.OtherConsumer) {
      count(
          "other.consumer",
          "Consumers stopped, as messages in their queue are another consumer's",
          1,
          consumer(event));
    } else if (event instanceof ConsumerEvent.Unknown) {
      count("unknown", "Copies that have no row", 1, consumer(event));
    } else if (event instanceof ConsumerEvent.StoreUnreachable) {
      count("store.unreachable", "Copies that waited for the store", 1, consumer(event));
    } else if (event instanceof ConsumerEvent.Stopped) {
      count(
          "consumer.stopped",
          "Consumers that the broker has ended",
          1,
          Tags.of("consumer", event.consumer()));
    }
  }

  /** A copy that came early has a lateness of zero: a timer knows no negative time. */
  private static Duration bounded(Duration lateness) {
    if (lateness.isNegative()) {
      return Duration.ZERO;
    }
    return lateness.compareTo(LATEST) > 0 ? LATEST : lateness;
  }

  private static Tags consumer(ConsumerEvent event) {
    return Tags.of("route", event.route()).and("consumer", event.consumer());
  }

  /** Uses the builder, since the registry's short forms differ between versions of Micrometer. */
  private void count(String name, String description, int by, Tags tags) {
    Counter.builder(PREFIX + name)
        .description(description)
        .tags(tags)
        .register(registry)
        .increment(by);
  }
}
