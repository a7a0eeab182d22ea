// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.server.broker.BrokerAddresses;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.testkit.BrokerExtension;
import java.io.IOException;
import java.net.URI;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Where the topology is somebody else's, the watch only looks. */
class HoldWatchIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();

  private static final String GONE = "pocketwatch.wheel.quorum.1s.7";

  private DelayRoutes routes = routes("declare");

  @BeforeEach
  void declare() {
    publisher();
    broker.node().ctl("add_user", "onlooker", "looks");
    broker
        .node()
        .ctl("set_permissions", "-p", broker.virtualHost(), "onlooker", "^$", "^pocketwatch", "^$");
  }

  @Test
  void with_verify_it_names_what_is_missing_and_makes_nothing() throws Exception {
    try (Connection connection = broker.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      HoldWatch watch = new HoldWatch(onlooker(), () -> routes, PocketwatchListener.NONE);
      routes = routes("verify");
      watch.run();
      assertThat(watch.look().broken()).isEmpty();

      channel.queueDelete(GONE);
      watch.run();
      assertThat(watch.look().broken()).containsExactly(GONE + " is not there");
      assertThat(watch.look().notice().text())
          .contains(
              "pocketwatch.topology: verify", "'pocketwatch repair --yes' with topology: declare");
      assertThat(channel.messageCount("pocketwatch.unroutable")).as("no probes").isZero();
      assertMissing(connection);

      routes = routes("assume");
      watch.run();
      assertThat(watch.look().broken()).as("nothing is asked, nothing is known").isEmpty();

      routes = routes("declare");
      publisher();
      routes = routes("verify");
      watch.run();
      assertThat(watch.look().broken()).isEmpty();
    } finally {
      broker.node().ctl("delete_user", "onlooker");
    }
  }

  private static void assertMissing(Connection connection) throws IOException {
    Channel asking = connection.createChannel();
    assertThatThrownBy(() -> asking.queueDeclarePassive(GONE)).isInstanceOf(IOException.class);
  }

  private void publisher() {
    DelayedPublisher.builder(broker.connectionFactory()).routes(routes).build().close();
  }

  private static NamedBroker onlooker() {
    URI uri = broker.amqpUri();
    String theirs = uri.toString().replaceFirst("//[^@]*@", "//onlooker:looks@");
    return NamedBroker.require(BrokerAddresses.parse(theirs), line -> {});
  }

  private static DelayRoutes routes(String topology) {
    return DelayRoutes.parse(
        """
        pocketwatch:
          topology: %s
          defaults: {strategy: QUEUE_WHEEL}
          wheel: {max-delay: 1h, resolution: 1s, hands: [10m, 1m, 10s, 1s]}
        """
            .formatted(topology),
        "test");
  }
}
