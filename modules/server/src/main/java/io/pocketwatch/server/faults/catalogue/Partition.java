// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults.catalogue;

import io.pocketwatch.localbroker.BrokerNode;
import java.util.List;

/**
 * Keeps a node of a cluster from the others, by a cookie that neither side takes from the other.
 * Their processes run, and clients reach all of them.
 */
final class Partition {
  private static final String WRONG = "faults_apart";

  private final BrokerNode alone;
  private final List<BrokerNode> others;

  private Partition(BrokerNode alone, List<BrokerNode> others) {
    this.alone = alone;
    this.others = others;
  }

  static Partition around(BrokerNode alone, List<BrokerNode> all) {
    Partition partition =
        new Partition(alone, all.stream().filter(node -> !node.equals(alone)).toList());
    partition.apart();
    return partition;
  }

  private void apart() {
    for (BrokerNode other : others) {
      cookie(alone, other, "'" + WRONG + "'");
      cookie(other, alone, "'" + WRONG + "'");
    }
    for (BrokerNode other : others) {
      alone.ctl("eval", "erlang:disconnect_node('%s').".formatted(host(other)));
    }
  }

  void heal() {
    for (BrokerNode other : others) {
      cookie(alone, other, "erlang:get_cookie()");
      cookie(other, alone, "erlang:get_cookie()");
    }
  }

  private static void cookie(BrokerNode at, BrokerNode towards, String cookie) {
    at.ctl("eval", "erlang:set_cookie('%s', %s).".formatted(host(towards), cookie));
  }

  private static String host(BrokerNode node) {
    return node.name() + "@localhost";
  }
}
