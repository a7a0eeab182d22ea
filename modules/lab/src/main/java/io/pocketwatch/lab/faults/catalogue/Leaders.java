// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.catalogue;

import io.pocketwatch.localbroker.BrokerNode;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Which node leads a queue, asked of the broker. */
final class Leaders {
  private Leaders() {}

  /** The one that leads most of ours. */
  static BrokerNode ofMost(World world) {
    Map<String, Long> count =
        lines(world, name -> name.startsWith(world.namePrefix())).values().stream()
            .collect(Collectors.groupingBy(node -> node, TreeMap::new, Collectors.counting()));
    return named(
        world,
        count.entrySet().stream()
            .max(Comparator.comparingLong(Map.Entry::getValue))
            .orElseThrow()
            .getKey());
  }

  static BrokerNode ofQueue(World world, String queue) {
    return named(world, lines(world, queue::equals).values().iterator().next());
  }

  /** Of the sink, or of one of the sinks. */
  static BrokerNode ofSink(World world) {
    return named(
        world,
        lines(world, name -> name.startsWith(world.namePrefix() + ".sink"))
            .values()
            .iterator()
            .next());
  }

  /** Of a classic queue the pid begins with the name of its node. */
  private static Map<String, String> lines(World world, Predicate<String> wanted) {
    Map<String, String> nodes = new TreeMap<>();
    String text =
        world.node().ctl("-q", "list_queues", "--no-table-headers", "name", "leader", "pid");
    for (String line : text.lines().toList()) {
      List<String> cells = List.of(line.split("\t"));
      if (cells.size() >= 2 && wanted.test(cells.get(0))) {
        String leader = cells.get(1).contains("@") ? cells.get(1) : cells.get(cells.size() - 1);
        nodes.put(cells.get(0), leader);
      }
    }
    if (nodes.isEmpty()) {
      throw new IllegalStateException("the broker lists no such queue:\n" + text);
    }
    return nodes;
  }

  private static BrokerNode named(World world, String text) {
    return world.nodes().stream()
        .filter(node -> text.contains(node.name() + "@"))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no node of ours leads it: " + text));
  }
}
