// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.catalogue;

import io.pocketwatch.lab.faults.account.Lane;
import io.pocketwatch.localbroker.BrokerNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Nodes of a cluster of three. */
final class ClusterFaults {
  private static final Duration DOWN = Duration.ofSeconds(10);
  private static final Duration APART = Duration.ofSeconds(20);

  private ClusterFaults() {}

  static List<Fault> all() {
    return List.of(
        Fault.onCluster(
            "node-killed",
            "one node of three is killed, and started after 10 s",
            world -> down(world, List.of(world.nodes().get(world.any(world.nodes().size()))))),
        Fault.onCluster(
            "leader-killed",
            "the node that leads most hold queues is killed, and started after 10 s",
            world -> down(world, List.of(Leaders.ofMost(world)))),
        Fault.onCluster(
            "majority-killed",
            "two nodes of three are killed, and started after 10 s",
            world -> {
              List<BrokerNode> two = new ArrayList<>(world.nodes());
              two.remove(world.any(two.size()));
              down(world, two);
            }),
        Fault.onCluster(
            "node-paused",
            "one node of three is frozen (SIGSTOP) for 20 s",
            world -> {
              BrokerNode node = world.nodes().get(world.any(world.nodes().size()));
              world.say("node " + node.name());
              node.pause();
              try {
                world.last(APART);
              } finally {
                node.resume();
              }
            }),
        Fault.onCluster(
            "node-partitioned",
            "one node of three does not see the others for 20 s; clients see all",
            world -> {
              BrokerNode node = world.nodes().get(world.any(world.nodes().size()));
              world.say("node " + node.name());
              Partition partition = Partition.around(node, world.nodes());
              try {
                world.last(APART);
              } finally {
                partition.heal();
              }
            }),
        Fault.onCluster(
            "classic-target-node-killed",
            "the node of the classic target queues is killed, and started after 10 s",
            world -> down(world, List.of(Leaders.ofQueue(world, classicTarget())))),
        Fault.onCluster(
            "sink-node-killed",
            "the node of the sink is killed, and started after 10 s",
            world -> down(world, List.of(Leaders.ofSink(world)))),
        Fault.onCluster(
            "rolling-restart",
            "one node after the other is stopped in order and started",
            world -> {
              for (BrokerNode node : world.nodes()) {
                node.stop();
                node.start();
              }
            }));
  }

  static void down(World world, List<BrokerNode> nodes) throws InterruptedException {
    world.say(
        nodes.stream().map(BrokerNode::name).collect(Collectors.joining(" and ", "node ", "")));
    nodes.forEach(BrokerNode::kill);
    world.last(DOWN);
    // Together: a node may wait for those it has last seen.
    nodes.parallelStream().forEach(BrokerNode::start);
  }

  private static String classicTarget() {
    return Lane.ALL.stream()
        .filter(lane -> lane.target() == Lane.Target.CLASSIC)
        .map(Lane::queue)
        .findFirst()
        .orElseThrow();
  }
}
