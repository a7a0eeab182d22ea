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

/** One broker for all tests of this JVM, with which it ends. */
final class SharedBroker {
  private static final Logger LOG = LoggerFactory.getLogger(SharedBroker.class);

  private static @Nullable BrokerNode node;

  private SharedBroker() {}

  /** A virtual host of the test's own in it. */
  static VirtualHost virtualHost(String test) {
    VirtualHost fresh = VirtualHost.on(node(), test);
    fresh.create();
    return fresh;
  }

  /** Whether what a test leaves in it stays. */
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
