// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit;

import io.pocketwatch.localbroker.BrokerCluster;
import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.BrokerSource;
import io.pocketwatch.localbroker.LocalBroker;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The nodes a test class may use: its own, or those of the JVM for the same wish. */
final class BrokerLease implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(BrokerLease.class);

  /** Those that classes share. They end with the JVM, as all that is started here does. */
  private static final Map<Wish, BrokerCluster> SHARED = new HashMap<>();

  private record Wish(LocalBrokerOptions options, int size) {
    /** Only of one at an address it matters whether it is to be stopped and looked into. */
    boolean isMetBy(Wish other, BrokerCluster its) {
      boolean ours = its.nodes().get(0).source() != BrokerSource.ADDRESS;
      return equals(other)
          || (ours && size == other.size && controllable().equals(other.controllable()));
    }

    private LocalBrokerOptions controllable() {
      return options.withControllable(true);
    }
  }

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

  static BrokerLease take(LocalBrokerOptions options, int size, boolean dedicated) {
    Wish wish = new Wish(options, size);
    return dedicated ? new BrokerLease(start(wish), true) : new BrokerLease(shared(wish), false);
  }

  private static BrokerCluster shared(Wish wish) {
    synchronized (SHARED) {
      for (Map.Entry<Wish, BrokerCluster> each : SHARED.entrySet()) {
        if (wish.isMetBy(each.getKey(), each.getValue())) {
          return each.getValue();
        }
      }
      BrokerCluster started = start(wish);
      SHARED.put(wish, started);
      return started;
    }
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
