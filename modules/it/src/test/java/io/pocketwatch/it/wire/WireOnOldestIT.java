// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.wire;

import io.pocketwatch.testkit.BrokerExtension;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** On the oldest RabbitMQ. */
@Tag("ci")
class WireOnOldestIT extends WireTests {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("3.10");

  @BeforeAll
  static void declare() {
    declare(BROKER);
  }

  @Override
  BrokerExtension broker() {
    return BROKER;
  }
}
