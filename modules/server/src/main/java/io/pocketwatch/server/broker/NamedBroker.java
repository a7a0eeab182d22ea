// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.broker;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.guard.TolerantConnection;
import io.pocketwatch.localbroker.BrokerNode;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeoutException;

/**
 * A broker that somebody named, and that answered.
 *
 * @param node the node that did
 * @param nodes where to find all of its cluster; empty if only that one was named
 */
public record NamedBroker(BrokerNode node, List<Address> nodes) {

  /** A connection to any of its nodes, which does not come back by itself. */
  public Connection connect(String name) throws IOException, TimeoutException {
    ConnectionFactory factory = node.connectionFactory();
    factory.setAutomaticRecoveryEnabled(false);
    return nodes.isEmpty() ? factory.newConnection(name) : factory.newConnection(nodes, name);
  }

  /**
   * As {@link #connect}, for those who consume what others have sent: what no client can read
   * arrives as {@link TolerantConnection} says, and they have to look.
   */
  public Connection connectTolerantly(String name) throws IOException, TimeoutException {
    return TolerantConnection.open(node.connectionFactory(), nodes, name);
  }

  public String userName() {
    return node.connectionFactory().getUsername();
  }

  /** A builder for a publisher that goes on with another node when its own is gone. */
  public DelayedPublisher.Builder publisher() {
    return DelayedPublisher.builder(node.connectionFactory()).addresses(nodes);
  }
}
