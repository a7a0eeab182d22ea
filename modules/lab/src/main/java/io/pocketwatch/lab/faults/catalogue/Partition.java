// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.catalogue;

import io.pocketwatch.localbroker.BrokerNode;
import java.util.List;

/**
 * Keeps a node of a cluster from the others, by a cookie that neither side takes from the other.
 * Their processes run, and clients reach all of them.
 */
final class Partition {
  /** Each side has one of its own: with the same one they would agree again. */
  private static final String OF_THE_ONE = "'faults_alone'";

  private static final String OF_THE_OTHERS = "'faults_others'";
  private static final String RIGHT = "erlang:get_cookie()";

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
      cookie(alone, other, OF_THE_ONE);
      cookie(other, alone, OF_THE_OTHERS);
    }
    for (BrokerNode other : others) {
      alone.ctl("eval", "erlang:disconnect_node('%s').".formatted(host(other)));
    }
    requireApart();
  }

  /** Asked of the others: the one alone may be busy with being so. */
  private void requireApart() {
    for (BrokerNode other : others) {
      String seen = other.ctl("eval", "nodes().");
      if (seen.contains(host(alone))) {
        throw new IllegalStateException(
            "node %s still sees node %s: %s".formatted(other.name(), alone.name(), seen.strip()));
      }
    }
  }

  void heal() {
    for (BrokerNode other : others) {
      cookie(alone, other, RIGHT);
      cookie(other, alone, RIGHT);
    }
  }

  private static void cookie(BrokerNode at, BrokerNode towards, String cookie) {
    at.ctl("eval", "erlang:set_cookie('%s', %s).".formatted(host(towards), cookie));
  }

  private static String host(BrokerNode node) {
    return node.name() + "@localhost";
  }
}
