// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import io.pocketwatch.testkit.BrokerExtension;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The same question on one more broker. */
@Tag("ci")
class DeliveryTimeHeaderOldestIT extends DeliveryTimeHeader {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("3.10");

  @Override
  BrokerExtension broker() {
    return BROKER;
  }
}
