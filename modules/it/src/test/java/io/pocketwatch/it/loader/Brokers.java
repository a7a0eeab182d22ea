// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.loader;

import io.pocketwatch.localbroker.LocalBrokerOptions;
import io.pocketwatch.testkit.BrokerExtension;
import java.util.List;

/** One node for all classes that leave it as it is, and one of its own for who does not. */
final class Brokers {
  static final int LARGEST_MESSAGE = 65_536;

  private Brokers() {}

  static BrokerExtension shared() {
    return BrokerExtension.of(
        LocalBrokerOptions.defaults()
            .withVersion("4.3")
            .withControllable(true)
            .withPlugins(List.of())
            .withConfigLines(List.of("max_message_size = " + LARGEST_MESSAGE)));
  }
}
