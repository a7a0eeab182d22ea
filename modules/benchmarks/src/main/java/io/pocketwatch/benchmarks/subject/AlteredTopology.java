// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.subject;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions.TopologyMode;
import io.pocketwatch.internal.topology.BindingSpec;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.internal.topology.Destination;
import io.pocketwatch.internal.topology.ExchangeSpec;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.internal.topology.QueueSpec;
import io.pocketwatch.internal.topology.Topology;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Our topology with queues and bindings changed, declared before a publisher that assumes it. */
final class AlteredTopology implements VhostChange {
  private final boolean nodeSinks;
  private final UnaryOperator<QueueSpec> queues;
  private final Predicate<BindingSpec> bound;

  private AlteredTopology(
      boolean nodeSinks, UnaryOperator<QueueSpec> queues, Predicate<BindingSpec> bound) {
    this.nodeSinks = nodeSinks;
    this.queues = queues;
    this.bound = bound;
  }

  /** No sink behind the release exchange. */
  static AlteredTopology withoutSink() {
    return new AlteredTopology(
        false, UnaryOperator.identity(), binding -> !isSink(binding.target()));
  }

  /** One sink for all nodes, as on brokers without the {@code x-local-random} exchange. */
  static AlteredTopology withOneSink() {
    return new AlteredTopology(false, UnaryOperator.identity(), binding -> true);
  }

  /** One sink for all nodes, with other arguments. */
  static AlteredTopology withOneSink(Map<String, Object> arguments) {
    return new AlteredTopology(
        false,
        queue -> isSink(queue.name()) ? new QueueSpec(queue.name(), arguments) : queue,
        binding -> true);
  }

  /** Hold queues with one argument changed. */
  static AlteredTopology withHoldArgument(String argument, Object value) {
    return new AlteredTopology(
        true, queue -> isHold(queue) ? with(queue, argument, value) : queue, binding -> true);
  }

  /** All queues of ours with one argument changed. */
  static AlteredTopology withArgument(String argument, Object value) {
    return new AlteredTopology(true, queue -> with(queue, argument, value), binding -> true);
  }

  @Override
  public DelayRoutes routes(DelayRoutes routes) {
    return routes.toBuilder()
        .hold(routes.hold().toBuilder().topology(TopologyMode.ASSUME).build())
        .build();
  }

  @Override
  public void before(RabbitServer.VirtualHost host, DelayRoutes routes) throws Exception {
    BrokerCapabilities broker =
        new BrokerCapabilities(RabbitServer.VERSION, false, nodeSinks, 0, "");
    Names names = new Names(routes.hold().namePrefix());
    Destination target =
        Destination.of(TargetQueue.EXCHANGE, TargetQueue.KEY, Destination.Way.SHARED);
    try (Connection connection = host.connect();
        Channel channel = connection.createChannel()) {
      declare(channel, Topology.of(routes, broker), queues);
      declare(channel, Topology.of(names, target), queues);
    }
    if (nodeSinks) {
      int number = 0;
      for (Address node : host.addresses()) {
        try (Connection connection = host.connectionFactory().newConnection(List.of(node));
            Channel channel = connection.createChannel()) {
          declare(channel, Topology.ofNodeSink(names, ++number), UnaryOperator.identity());
        }
      }
    }
  }

  private void declare(Channel channel, Topology topology, UnaryOperator<QueueSpec> altered)
      throws IOException {
    for (ExchangeSpec exchange : topology.exchanges()) {
      channel.exchangeDeclare(exchange.name(), exchange.type(), true, false, exchange.arguments());
    }
    for (QueueSpec queue : topology.queues()) {
      channel.queueDeclare(queue.name(), true, false, false, altered.apply(queue).arguments());
    }
    for (BindingSpec binding : topology.bindings()) {
      if (!bound.test(binding)) {
        continue;
      }
      if (binding.toQueue()) {
        channel.queueBind(
            binding.target(), binding.source(), binding.routingKey(), binding.arguments());
      } else {
        channel.exchangeBind(
            binding.target(), binding.source(), binding.routingKey(), binding.arguments());
      }
    }
  }

  private static boolean isSink(String queue) {
    return queue.endsWith(".sink");
  }

  private static boolean isHold(QueueSpec queue) {
    return Optional.ofNullable(queue.arguments().get("x-message-ttl")).isPresent();
  }

  private static QueueSpec with(QueueSpec queue, String argument, Object value) {
    Map<String, Object> arguments = new LinkedHashMap<>(queue.arguments());
    arguments.put(argument, value);
    return new QueueSpec(queue.name(), arguments);
  }
}
