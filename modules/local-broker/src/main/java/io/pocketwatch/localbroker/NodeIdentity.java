// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

/** What stays the same about a private node through all its lives. */
record NodeIdentity(
    BrokerSource source, RabbitHome home, NodeGround ground, String name, NodePorts ports) {

  NodeFolder folder() {
    return ground.node(name);
  }
}
