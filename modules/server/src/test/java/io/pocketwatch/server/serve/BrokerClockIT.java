// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.BrokerUnavailableException;
import io.pocketwatch.localbroker.LocalBroker;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import io.pocketwatch.metrics.PocketwatchMetrics;
import io.pocketwatch.server.broker.BrokerAddresses;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.server.view.Notice;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

/** The clock of a real broker is set, and the probes that exist show it. */
@Tag("ci")
class BrokerClockIT {
  private static final DelayRoutes ROUTES =
      DelayRoutes.parse(
          "pocketwatch: {wheel: {max-delay: 20s, resolution: 1s, hands: [10s, 1s]},"
              + " defaults: {strategy: QUEUE_WHEEL}}",
          "test");

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final PocketwatchMetrics metrics = new PocketwatchMetrics(registry);

  @Test
  void a_wrong_clock_is_a_warning_and_a_metric_until_it_is_right() {
    try (BrokerNode node = settable()) {
      NamedBroker broker =
          NamedBroker.require(BrokerAddresses.parse(node.amqpUri().toString()), line -> {});
      HoldWatch watch = new HoldWatch(broker, () -> ROUTES, metrics);
      try (DelayedPublisher publisher = publisher(node)) {
        assertThat(publisher.status().brokerClock().orElseThrow().ahead()).isZero();
      }
      assertThat(offset()).isZero();

      node.setClock(Duration.ofSeconds(-30));
      try (DelayedPublisher publisher = publisher(node)) {
        assertThat(publisher.status().brokerClock().orElseThrow().isWrong()).isTrue();
      }
      assertThat(offset()).isBetween(-30.0, -20.0);

      node.setClock(Duration.ofHours(1));
      watch.run();
      assertThat(watch.look().broken()).isEmpty();
      assertThat(watch.look().wrongClock())
          .isNotNull()
          .extracting(Notice::text)
          .asString()
          .matches(
              "the broker's clock is at least \\d+ min ahead of this machine's, at the node that"
                  + " leads pocketwatch\\.wheel\\.quorum\\.\\S+ \\(other hold queues: \\d+\\):"
                  + " .*NTP.*");
      assertThat(offset()).isBetween(3_590.0, 3_601.0);

      node.setClock(Duration.ZERO);
      watch.run();
      assertThat(watch.look().wrongClock()).isNull();
      assertThat(offset()).isZero();
    }
  }

  private double offset() {
    return registry.get("pocketwatch.broker.clock.offset").gauge().value();
  }

  private DelayedPublisher publisher(BrokerNode node) {
    return DelayedPublisher.builder(node.connectionFactory())
        .routes(ROUTES)
        .listener(metrics)
        .build();
  }

  private static BrokerNode settable() {
    try {
      return LocalBroker.find(
          LocalBrokerOptions.defaults()
              .withVersion("4.3")
              .withPlugins(List.of())
              .withSettableClock(true));
    } catch (BrokerUnavailableException e) {
      System.err.println("### NOT RUN: no broker whose clock can be set: " + e.getMessage());
      throw new TestAbortedException(e.getMessage(), e);
    }
  }
}
