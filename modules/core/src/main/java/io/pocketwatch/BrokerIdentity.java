// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

import com.rabbitmq.client.Connection;

/**
 * Which broker it is, whatever its address: a cluster, and a virtual host of it.
 *
 * @param cluster the cluster's name, which {@code rabbitmqctl set_cluster_name} sets. Unless
 *     somebody did, it is the name of the first node
 * @param virtualHost the virtual host
 */
public record BrokerIdentity(String cluster, String virtualHost) {
  /**
   * The one at the other end, in its own words ({@code cluster_name} of its server properties).
   *
   * @param virtualHost the one that the connection was opened to
   */
  public static BrokerIdentity of(Connection connection, String virtualHost) {
    return new BrokerIdentity(
        String.valueOf(connection.getServerProperties().get("cluster_name")), virtualHost);
  }

  /** For people. */
  @Override
  public String toString() {
    return "cluster '%s', virtual host '%s'".formatted(cluster, virtualHost);
  }
}
