// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.testkit.BrokerExtension;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("ci")
class PluginBehaviourOldestIT extends PluginBehaviour {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("3.10");

  @Override
  ConnectionFactory broker() {
    return BROKER.connectionFactory();
  }
}
