// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.MessageProperties;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("wide")
class ClusterIT {

  private static final String QUEUE = "replicated";

  @Test
  void a_majority_confirms_while_one_node_is_dead() throws Exception {
    LocalBrokerOptions options =
        LocalBrokerOptions.defaults().withVersion("4.3").withPlugins(List.of());
    try (BrokerCluster cluster = LocalBroker.cluster(options, 3)) {
      assertThat(cluster.nodes())
          .hasSize(3)
          .allSatisfy(
              node ->
                  assertThat(cluster.node(0).ctl("-q", "cluster_status"))
                      .contains(node.name() + "@localhost"));
      cluster.node(2).kill();
      try (Connection connection = cluster.node(0).connectionFactory().newConnection("cluster");
          Channel channel = connection.createChannel()) {
        channel.queueDeclare(QUEUE, true, false, false, Map.of("x-queue-type", "quorum"));
        channel.confirmSelect();
        channel.basicPublish("", QUEUE, MessageProperties.PERSISTENT_BASIC, new byte[] {1});
        channel.waitForConfirmsOrDie(20_000);
      }
      try (Connection connection = cluster.node(1).connectionFactory().newConnection("cluster");
          Channel channel = connection.createChannel()) {
        assertThat(channel.basicGet(QUEUE, true)).isNotNull();
      }
    }
  }
}
