// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

import com.rabbitmq.client.Connection;

/**
 * The identity of a broker, whatever its address: a cluster, and a virtual host of it.
 *
 * @param cluster the cluster's name, as {@code rabbitmqctl set_cluster_name} sets it. By default it
 *     is the name of the first node
 * @param virtualHost the virtual host
 */
public record BrokerIdentity(String cluster, String virtualHost) {
  /**
   * The broker of a connection, by the {@code cluster_name} of its server properties.
   *
   * @param virtualHost the virtual host that the connection was opened to
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
