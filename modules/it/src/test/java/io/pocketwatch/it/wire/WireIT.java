// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.wire;

import io.pocketwatch.testkit.BrokerExtension;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/** On the newest RabbitMQ. */
class WireIT extends WireTests {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

  @BeforeAll
  static void declare() {
    declare(BROKER);
  }

  @Override
  BrokerExtension broker() {
    return BROKER;
  }
}
