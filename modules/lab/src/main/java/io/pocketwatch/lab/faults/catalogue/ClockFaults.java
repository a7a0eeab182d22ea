// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.catalogue;

import io.pocketwatch.lab.faults.catalogue.Fault.Place;
import io.pocketwatch.localbroker.BrokerNode;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;

/** The clocks of the broker's machines. */
final class ClockFaults {
  private static final Duration STEP = Duration.ofHours(1);
  private static final Duration RUNNING = Duration.ofSeconds(4);
  private static final Duration AHEAD = Duration.ofSeconds(20);

  private ClockFaults() {}

  static List<Fault> all() {
    return List.of(
        new Fault(
            "broker-clock-set",
            "the broker's clock is set an hour forward; 4 s later it is killed and started again",
            Place.NODE_WITH_CLOCK,
            world -> {},
            world -> {
              world.node().setClock(STEP);
              world.last(RUNNING);
              world.node().kill();
              world.node().start();
            },
            true), // its clock is wrong for good
        new Fault(
            "leader-clock-behind",
            "the node that leads most hold queues is killed; its followers' clocks are 20 s ahead",
            Place.CLUSTER_WITH_CLOCKS,
            ClockFaults::setFollowersAhead,
            world -> ClusterFaults.down(world, List.of(furthestBehind(world))),
            true));
  }

  /** By a restart: in a running node Erlang's time may follow a minute later. */
  private static void setFollowersAhead(World world) {
    BrokerNode leader = Leaders.ofMost(world);
    for (BrokerNode node : world.nodes()) {
      if (!node.equals(leader)) {
        node.stop();
        node.setClock(AHEAD);
        node.start();
      }
    }
  }

  private static BrokerNode furthestBehind(World world) {
    return world.nodes().stream()
        .min(Comparator.comparingLong(ClockFaults::secondsAhead))
        .orElseThrow();
  }

  private static long secondsAhead(BrokerNode node) {
    long there = Long.parseLong(node.ctl("eval", "os:system_time(second).").strip());
    return there - Duration.ofMillis(System.currentTimeMillis()).toSeconds();
  }
}
