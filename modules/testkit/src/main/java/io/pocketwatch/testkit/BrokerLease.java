// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit;

import io.pocketwatch.localbroker.BrokerCluster;
import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.LocalBroker;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import java.util.List;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The nodes a test class may use: its own, or those of the JVM for the same wish. */
final class BrokerLease implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(BrokerLease.class);
  private static final Namespace NAMESPACE = Namespace.create(BrokerLease.class);

  private record Wish(LocalBrokerOptions options, int size) {}

  private final BrokerCluster nodes;
  private final boolean dedicated;
  private final List<BrokerNode> handedOut;

  private BrokerLease(BrokerCluster nodes, boolean dedicated) {
    this.nodes = nodes;
    this.dedicated = dedicated;
    this.handedOut =
        dedicated
            ? nodes.nodes()
            : nodes.nodes().stream().<BrokerNode>map(SharedNode::new).toList();
  }

  static BrokerLease take(
      ExtensionContext context, LocalBrokerOptions options, int size, boolean dedicated) {
    Wish wish = new Wish(options, size);
    if (dedicated) {
      return new BrokerLease(start(wish), true);
    }
    // Not the root's store: where Maven has several forks, each class is a test run of its own.
    // JUnit closes them at the end of its session.
    BrokerCluster shared =
        context
            .getStore(StoreScope.LAUNCHER_SESSION, NAMESPACE)
            .getOrComputeIfAbsent(wish, BrokerLease::start, BrokerCluster.class);
    return new BrokerLease(shared, false);
  }

  private static BrokerCluster start(Wish wish) {
    return LocalBroker.cluster(wish.options(), wish.size(), LOG::info);
  }

  BrokerNode node(int index) {
    return handedOut.get(index);
  }

  List<BrokerNode> nodes() {
    return handedOut;
  }

  @Override
  public void close() {
    if (dedicated) {
      nodes.close();
    }
  }
}
