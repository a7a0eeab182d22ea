// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

/** The properties of a private node that stay the same through all its restarts. */
record NodeIdentity(
    BrokerSource source, RabbitHome home, NodeGround ground, String name, NodePorts ports) {

  NodeFolder folder() {
    return ground.node(name);
  }
}
