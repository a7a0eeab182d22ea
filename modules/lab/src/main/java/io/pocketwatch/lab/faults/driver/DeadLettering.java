// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.driver;

import io.pocketwatch.localbroker.BrokerNode;
import java.util.ArrayList;
import java.util.List;

/**
 * Dead-lettering by a node's quorum queues, which RabbitMQ up to 4.3.6 can end until the node is
 * restarted: modules/it/FAULTS.md says how.
 */
final class DeadLettering {
  private static final String SUPERVISOR = "whereis(rabbit_fifo_dlx_sup).";

  private DeadLettering() {}

  /**
   * Restarts the nodes where it has ended.
   *
   * @return their names
   */
  static List<String> restartWhereItEnded(List<BrokerNode> nodes) {
    List<String> restarted = new ArrayList<>();
    for (BrokerNode node : nodes) {
      if (node.ctl("eval", SUPERVISOR).contains("undefined")) {
        node.stop();
        node.start();
        restarted.add(node.name());
      }
    }
    return restarted;
  }
}
