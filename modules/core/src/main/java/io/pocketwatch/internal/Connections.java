// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;

/** Opens connections. Recovery is ours: the client's would resume before topology is checked. */
final class Connections {
  /** A declaration may wait for an election; for longer than this nobody should wait. */
  private static final Duration RPC_TIMEOUT = Duration.ofSeconds(30);

  private final ConnectionFactory factory;
  private final List<Address> addresses;

  Connections(ConnectionFactory factory, List<Address> addresses) {
    this.factory = factory.clone();
    this.factory.setAutomaticRecoveryEnabled(false);
    this.factory.setTopologyRecoveryEnabled(false);
    int rpcTimeout = Math.toIntExact(RPC_TIMEOUT.toMillis());
    int configured = factory.getChannelRpcTimeout();
    this.factory.setChannelRpcTimeout(
        configured == 0 ? rpcTimeout : Math.min(configured, rpcTimeout));
    this.addresses = addresses;
  }

  /**
   * @param purpose appears in the connection's name, for whoever looks at the broker
   */
  Connection open(String purpose) throws IOException, TimeoutException {
    String name = "pocketwatch " + purpose;
    return addresses.isEmpty()
        ? factory.newConnection(name)
        : factory.newConnection(addresses, name);
  }

  String userName() {
    return factory.getUsername();
  }

  /** Where we connect to, without credentials. */
  String describe() {
    return addresses.isEmpty()
        ? factory.getHost() + ":" + factory.getPort() + ", vhost " + factory.getVirtualHost()
        : addresses + ", vhost " + factory.getVirtualHost();
  }
}
