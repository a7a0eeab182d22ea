// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server;

import io.pocketwatch.testkit.BrokerExtension;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("wide")
final class MigrateExchange310IT extends MigrateExchangeContract {
  @RegisterExtension
  static final BrokerExtension broker = BrokerExtension.version("3.10").dedicated();

  @Override
  BrokerExtension broker() {
    return broker;
  }
}
