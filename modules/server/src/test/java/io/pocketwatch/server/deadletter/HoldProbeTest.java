// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldQueues;
import io.pocketwatch.config.WheelOptions;
import io.pocketwatch.internal.topology.BindingSpec;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.internal.topology.QueueSpec;
import io.pocketwatch.internal.topology.Topology;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HoldProbeTest {
  private static final DelayRoutes ROUTES =
      DelayRoutes.builder()
          .defaults(
              DelayRoute.defaults().toBuilder()
                  .delays(Duration.ofMinutes(15))
                  .strategy(DelayStrategy.DELIVERY_TIME)
                  .build())
          .build();

  @ParameterizedTest
  @ValueSource(strings = {"4.0.5", "4.2.1", "4.3.6"})
  void everyHoldQueueHasOne(String version) {
    BrokerCapabilities broker = facts(version);

    assertThat(HoldProbe.all(ROUTES, broker))
        .extracting(HoldProbe::queue)
        .containsExactlyInAnyOrderElementsOf(
            holds(Topology.of(ROUTES, broker)).stream().map(QueueSpec::name).toList());
  }

  /** The declared bindings lead from the exchange to the queue, and from there to the release. */
  @Test
  void its_keys_are_those_of_the_bindings() {
    Topology topology = Topology.of(ROUTES, facts("4.3.6"));

    for (HoldProbe probe : HoldProbe.all(ROUTES, facts("4.3.6"))) {
      assertThat(topology.bindings())
          .contains(new BindingSpec(probe.exchange(), probe.queue(), true, probe.routingKey()));
      String next =
          holds(topology).stream()
              .filter(queue -> queue.name().equals(probe.queue()))
              .map(queue -> queue.arguments().get("x-dead-letter-exchange").toString())
              .findFirst()
              .orElseThrow();
      for (String key : probe.steering()) {
        String from = next;
        next =
            topology.bindings().stream()
                .filter(each -> each.source().equals(from) && each.routingKey().equals(key))
                .map(BindingSpec::target)
                .findFirst()
                .orElseThrow(() -> new AssertionError(from + " has no binding for " + key));
      }
      assertThat(next).isEqualTo("pocketwatch.release");
    }
  }

  @Test
  void none_where_it_would_wait_behind_others_or_no_message_is_kept_safely() {
    HoldQueues classic = HoldQueues.classicAcceptingLoss();
    DelayRoutes onClassic =
        DelayRoutes.builder()
            .hold(
                DelayRoutes.none().hold().toBuilder()
                    .wheel(WheelOptions.builder().queues(classic).build())
                    .build())
            .build();

    assertThat(HoldProbe.all(ROUTES, facts("3.13.7"))).isEmpty();
    assertThat(HoldProbe.all(onClassic, facts("4.3.6"))).isEqualTo(List.of());
  }

  private static List<QueueSpec> holds(Topology topology) {
    return topology.queues().stream()
        .filter(queue -> queue.arguments().containsKey("x-dead-letter-exchange"))
        .filter(queue -> !queue.name().equals("pocketwatch.sink"))
        .toList();
  }

  private static BrokerCapabilities facts(String version) {
    return new BrokerCapabilities(
        version, false, BrokerCapabilities.mayHaveLocalRandomExchange(version), 131_072, "guest");
  }
}
