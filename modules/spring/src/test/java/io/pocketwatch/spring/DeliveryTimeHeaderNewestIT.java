// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import io.pocketwatch.testkit.BrokerExtension;
import org.junit.jupiter.api.extension.RegisterExtension;

class DeliveryTimeHeaderNewestIT extends DeliveryTimeHeader {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

  @Override
  BrokerExtension broker() {
    return BROKER;
  }
}
