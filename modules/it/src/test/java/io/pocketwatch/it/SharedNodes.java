// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.LocalBroker;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Real nodes without plugins: one per version for tests that leave it as it was, and own ones for
 * tests that stop, freeze or kill theirs. Shared ones end with the JVM.
 */
public final class SharedNodes {
  public static final String NEWEST = "4.3";
  static final String OLDEST = "3.10";

  private static final Logger LOG = LoggerFactory.getLogger(SharedNodes.class);
  private static final Map<String, BrokerNode> NODES = new ConcurrentHashMap<>();

  private SharedNodes() {}

  static BrokerNode of(String version) {
    return NODES.computeIfAbsent(version, SharedNodes::own);
  }

  /** The caller closes it. */
  public static BrokerNode own(String version) {
    LocalBrokerOptions options =
        LocalBrokerOptions.defaults()
            .withVersion(version)
            .withControllable(true)
            .withPlugins(List.of());
    return LocalBroker.find(options, LOG::debug);
  }
}
