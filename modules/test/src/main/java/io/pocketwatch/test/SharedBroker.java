// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.test;

import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.BrokerSource;
import io.pocketwatch.localbroker.LocalBroker;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import io.pocketwatch.localbroker.VirtualHost;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The broker of all tests of this JVM, which ends with the JVM. */
final class SharedBroker {
  private static final Logger LOG = LoggerFactory.getLogger(SharedBroker.class);

  private static @Nullable BrokerNode node;

  private SharedBroker() {}

  /** Creates a virtual host of the test's own. */
  static VirtualHost virtualHost(String test) {
    VirtualHost fresh = VirtualHost.on(node(), test);
    fresh.create();
    return fresh;
  }

  /** Whether virtual hosts that tests leave would stay. */
  static boolean outlivesJvm() {
    return node().source() == BrokerSource.ADDRESS;
  }

  private static synchronized BrokerNode node() {
    BrokerNode found = node;
    if (found == null) {
      found = LocalBroker.find(LocalBrokerOptions.defaults(), LOG::info);
      node = found;
    }
    return found;
  }
}
