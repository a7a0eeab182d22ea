// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.declare;

import io.pocketwatch.testkit.BrokerExtension;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("wide")
final class Declaration310IT extends DeclarationContract {
  @RegisterExtension
  static final BrokerExtension broker = BrokerExtension.version("3.10").dedicated();

  @Override
  BrokerExtension broker() {
    return broker;
  }
}
