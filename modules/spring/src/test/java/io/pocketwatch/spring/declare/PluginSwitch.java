// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.declare;

import io.pocketwatch.localbroker.BrokerNode;

/**
 * Gives a node the exchange type {@code x-delayed-message} and takes it away again, as the plugin
 * does when it starts and stops. Only the name counts here: what is declared meanwhile is left over
 * afterwards exactly as with the plugin, and the plugin exists for few versions. Nothing is
 * delayed.
 */
record PluginSwitch(BrokerNode node) {

  void on() {
    node.ctl(
        "eval",
        "rabbit_registry:register(exchange, <<\"x-delayed-message\">>,"
            + " rabbit_exchange_type_fanout).");
  }

  void off() {
    node.ctl("eval", "rabbit_registry:unregister(exchange, <<\"x-delayed-message\">>).");
  }
}
