// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.util.List;

/** Nodes that form one cluster, or a single one; all members run when it is handed out. */
public final class BrokerCluster implements AutoCloseable {

  private final List<BrokerNode> nodes;

  BrokerCluster(List<? extends BrokerNode> nodes) {
    this.nodes = List.copyOf(nodes);
  }

  /** The members; the first one is the one the others joined. */
  public List<BrokerNode> nodes() {
    return nodes;
  }

  /** One member, counted from 0. */
  public BrokerNode node(int index) {
    return nodes.get(index);
  }

  /** Ends all members and deletes their files. */
  @Override
  public void close() {
    nodes.forEach(BrokerNode::close);
  }
}
