// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.MessageProperties;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.internal.topology.QueueSpec;
import io.pocketwatch.internal.topology.Topology;
import io.pocketwatch.localbroker.BrokerNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A broker that is killed right after everything was declared on it for the first time. */
@Tag("wide")
class FreshTopologyIT {
  private static final Duration LONG = Duration.ofMinutes(10);

  @ParameterizedTest
  @ValueSource(strings = {"4.3", "3.10"})
  void keeps_what_it_confirmed(String version) throws Exception {
    try (BrokerNode node = SharedNodes.own(version);
        World world = new World(node, "fresh")) {
      DelayRoutes routes =
          DelayRoutes.builder()
              .defaults(
                  DelayRoute.defaults().toBuilder().strategy(DelayStrategy.QUEUE_WHEEL).build())
              .hold(HoldOptions.builder().namePrefix(world.prefix()).build())
              .build();
      List<String> longest =
          Topology.of(routes, BrokerCapabilities.unknown("guest")).queues().stream()
              .filter(queue -> ttl(queue) >= LONG.toMillis())
              .map(QueueSpec::name)
              .toList();
      assertThat(longest).hasSizeGreaterThan(10);
      world.publisher(routes);
      Channel channel = world.channel();
      channel.confirmSelect();
      for (String queue : longest) {
        channel.basicPublish("", queue, MessageProperties.MINIMAL_PERSISTENT_BASIC, new byte[1]);
      }
      channel.waitForConfirmsOrDie(10_000);

      node.kill();
      node.start();

      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .ignoreExceptions()
          .untilAsserted(
              () ->
                  assertThat(lengths(node, longest))
                      .allSatisfy((queue, length) -> assertThat(length).isEqualTo(1)));
    }
  }

  private static long ttl(QueueSpec queue) {
    return queue.arguments().get("x-message-ttl") instanceof Number ttl ? ttl.longValue() : 0;
  }

  private static Map<String, Integer> lengths(BrokerNode node, List<String> queues)
      throws Exception {
    Map<String, Integer> lengths = new TreeMap<>();
    try (Connection connection = node.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      for (String queue : queues) {
        lengths.put(queue, channel.queueDeclarePassive(queue).getMessageCount());
      }
    }
    return lengths;
  }
}
