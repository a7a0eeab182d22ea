// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.topology;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Questions to a topology. */
final class Topologies {
  private Topologies() {}

  /** Nothing would be dropped for want of what a queue, binding or alternate exchange names. */
  static void requireClosed(Topology topology) {
    Set<Object> exchanges = new HashSet<>();
    topology.exchanges().forEach(exchange -> exchanges.add(exchange.name()));
    Set<String> queues = new HashSet<>();
    topology.queues().forEach(queue -> queues.add(queue.name()));
    for (QueueSpec queue : topology.queues()) {
      Object next = queue.arguments().get("x-dead-letter-exchange");
      assertThat(next == null || isNowhere(next) || exchanges.contains(next))
          .as("%s", queue)
          .isTrue();
    }
    for (ExchangeSpec exchange : topology.exchanges()) {
      Object next = exchange.arguments().get("alternate-exchange");
      assertThat(next == null || isNowhere(next) || exchanges.contains(next))
          .as("%s", exchange)
          .isTrue();
    }
    for (BindingSpec binding : topology.bindings()) {
      assertThat(exchanges).as("source of %s", binding).contains(binding.source());
      assertThat(binding.toQueue() ? queues : exchanges)
          .as("target of %s", binding)
          .contains(binding.target());
    }
  }

  /** Named on purpose, and never declared. */
  static boolean isNowhere(Object exchange) {
    return exchange.toString().endsWith(".nowhere");
  }

  static void requireNames(Topology topology, String prefix) {
    Stream.concat(
            topology.exchanges().stream().map(ExchangeSpec::name),
            topology.queues().stream().map(QueueSpec::name))
        .forEach(
            name -> {
              assertThat(name).startsWith(prefix + ".");
              assertThat(name.getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(255);
            });
  }

  static List<QueueSpec> holds(Topology topology) {
    return topology.queues().stream()
        .filter(queue -> queue.arguments().containsKey("x-dead-letter-exchange"))
        .filter(queue -> !isNowhere(queue.arguments().get("x-dead-letter-exchange")))
        .toList();
  }

  static Map<String, Long> ttls(Topology topology, String prefix) {
    return holds(topology).stream()
        .filter(queue -> queue.name().startsWith(prefix))
        .collect(toMap(QueueSpec::name, queue -> (Long) queue.arguments().get("x-message-ttl")));
  }

  static Topology plus(Topology one, Topology other) {
    return new Topology(
        concat(one.exchanges(), other.exchanges()),
        concat(one.queues(), other.queues()),
        concat(one.bindings(), other.bindings()));
  }

  private static <T> List<T> concat(List<T> one, List<T> other) {
    return Stream.concat(one.stream(), other.stream()).toList();
  }
}
