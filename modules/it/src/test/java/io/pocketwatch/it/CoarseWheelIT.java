// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static io.pocketwatch.PublishOutcome.CONFIRMED;
import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldQueues;
import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.config.WheelOptions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The shortest hold of this wheel is longer than a start may take. */
@Execution(ExecutionMode.CONCURRENT) // they mostly wait
class CoarseWheelIT {
  private static final Duration HAND = Duration.ofMinutes(1);

  @ParameterizedTest
  @MethodSource("io.pocketwatch.it.ContractBrokers#versions")
  void publishers_start_also_while_messages_wait(String version) throws Exception {
    start(version, HoldQueueType.QUORUM);
  }

  @Test
  void so_they_do_with_a_classic_wheel() throws Exception {
    start(SharedNodes.NEWEST, HoldQueueType.CLASSIC);
  }

  private static void start(String version, HoldQueueType type) throws Exception {
    try (World world = new World(SharedNodes.of(version), "coarse-" + type)) {
      String queue = world.queue("coarse");
      DelayRoutes routes = routes(world, type);
      DelayedMessage message = DelayedMessage.toQueue(queue).delay(Duration.ofSeconds(30));

      PublishReceipt first = Futures.get(world.publisher(routes).publish(message));
      PublishReceipt second = Futures.get(world.publisher(routes).publish(message));

      assertThat(List.of(first.outcome(), second.outcome())).containsOnly(CONFIRMED);
    }
  }

  private static DelayRoutes routes(World world, HoldQueueType type) {
    HoldQueues queues =
        type == HoldQueueType.QUORUM ? HoldQueues.quorum() : HoldQueues.classicAcceptingLoss();
    return world.routes().toBuilder()
        .hold(
            world.routes().hold().toBuilder()
                .wheel(
                    WheelOptions.builder()
                        .maxDelay(Duration.ofHours(1))
                        .hands(List.of(HAND))
                        .queues(queues)
                        .build())
                .build())
        .build();
  }
}
