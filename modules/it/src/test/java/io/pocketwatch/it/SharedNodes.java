// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.LocalBroker;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import io.pocketwatch.testkit.BrokerExtension;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Real nodes: one per version for tests that leave it as it was, and own ones for tests that stop,
 * freeze or kill theirs. Shared ones end with the JVM.
 */
public final class SharedNodes {
  public static final String NEWEST = "4.3";
  static final String OLDEST = "3.10";

  private static final Logger LOG = LoggerFactory.getLogger(SharedNodes.class);

  private SharedNodes() {}

  static BrokerNode of(String version) {
    return BrokerExtension.shared(options(version));
  }

  /** The caller closes it. */
  public static BrokerNode own(String version) {
    return LocalBroker.find(options(version).withPlugins(List.of()), LOG::debug);
  }

  private static LocalBrokerOptions options(String version) {
    return LocalBrokerOptions.defaults().withVersion(version).withControllable(true);
  }
}
