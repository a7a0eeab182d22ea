// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.topology;

import static io.pocketwatch.internal.topology.Topologies.holds;
import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldQueues;
import io.pocketwatch.config.WheelOptions;
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

  /** The declared bindings lead from the exchange to the queue, and from there to the sink. */
  @Test
  void itsKeysAreThoseOfTheBindings() {
    Topology topology = Topology.of(ROUTES, facts("4.3.6"));

    for (HoldProbe probe : HoldProbe.all(ROUTES, facts("4.3.6"))) {
      assertThat(topology.bindings())
          .contains(BindingSpec.queue(probe.exchange(), probe.queue(), probe.routingKey()));
      String next =
          holds(topology).stream()
              .filter(queue -> queue.name().equals(probe.queue()))
              .map(queue -> queue.arguments().get("x-dead-letter-exchange").toString())
              .findFirst()
              .orElseThrow();
      for (String key : probe.steering().subList(0, probe.steering().size() - 1)) {
        String from = next;
        next =
            topology.bindings().stream()
                .filter(each -> each.source().equals(from) && each.routingKey().equals(key))
                .map(BindingSpec::target)
                .findFirst()
                .orElseThrow(() -> new AssertionError(from + " has no binding for " + key));
      }
      assertThat(next).isEqualTo("pocketwatch.release");
      assertThat(probe.steering()).endsWith(HoldProbe.TO_SINK);
    }
  }

  @Test
  void noneWhereItWouldWaitBehindOthersOrNoMessageIsKeptSafely() {
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

  private static BrokerCapabilities facts(String version) {
    return new BrokerCapabilities(
        version, false, BrokerCapabilities.mayHaveLocalRandomExchange(version), 131_072, "guest");
  }
}
