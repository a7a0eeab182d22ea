// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.console;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.server.serve.RunningServer;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What the page says while the broker or the database is away. */
@Tag("wide")
class ConsoleAwayIT {
  @RegisterExtension
  static final BrokerExtension broker =
      BrokerExtension.anyVersion().dedicated().allowingOpenConnections();

  @TempDir static Path folder;

  @Test
  void says_plainly_what_is_away() throws Exception {
    try (Browser browser = Browser.start()) {
      TestDatabase database = TestDatabases.postgresql();
      try (Connection connection = broker.connectionFactory().newConnection();
          Channel channel = connection.createChannel()) {
        channel.queueDeclare("orders", true, false, false, Map.of());
      }
      String sections =
          """
          routes: {orders: {routing-key: orders, tracking: full}}
          wheel: {max-delay: 1h, resolution: 1s, hands: [10m, 1m, 10s, 1s]}
          """;
      try (RunningServer server =
          RunningServer.start(folder, sections, database.url(), broker.amqpUri(), Map.of())) {
        browser.open(server.url());
        browser.seeText("#live", "Live");
        browser.seeNo("#notices .notice");

        broker.node().kill();
        browser.seeText("#notices .bad", "The broker is not connected");
        browser.screenshot("broker-away");
        broker.node().start();
        browser.seeNo("#notices .notice.bad");

        database.close();
        browser.seeText("#notices .bad", "The database does not answer");
        browser.go("messages");
        browser.seeText("#messages .flag", "The database does not answer");
        browser.screenshot("database-away");
      }
    }
  }
}
