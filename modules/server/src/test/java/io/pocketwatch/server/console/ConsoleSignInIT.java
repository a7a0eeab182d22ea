// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.console;

import static io.pocketwatch.server.serve.RunningServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.server.serve.RunningServer;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Who may see, and who may change. */
class ConsoleSignInIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();
  @TempDir static Path folder;

  private static final Map<String, String> SECRETS =
      Map.of("OPS", "token-of-operations", "DESK", "Kennwort-mit-ä");
  private static Browser browser;
  private static TestDatabase database;
  private static RunningServer server;

  @BeforeAll
  static void start() throws Exception {
    browser = Browser.start();
    database = TestDatabases.h2();
    try (Connection connection = broker.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare("orders", true, false, false, Map.of());
    }
    server =
        RunningServer.start(
            folder,
            """
            routes: {orders: {routing-key: orders, tracking: full}}
            wheel: {max-delay: 1h, resolution: 1s, hands: [10m, 1m, 10s, 1s]}
            server:
              credentials:
                ops: {role: write, token: 'env:OPS'}
                desk: {role: read, password: 'env:DESK'}
            """,
            database.url(),
            broker.amqpUri(),
            SECRETS);
    json(
        server.send(
            server
                .request("/api/v1/messages")
                .header("Authorization", "Bearer token-of-operations")
                .header("Content-Type", "application/json")
                .POST(
                    BodyPublishers.ofString(
                        "{\"route\": \"orders\", \"delay\": \"10h\", \"id\": \"o-1\"}"))),
        201);
  }

  @AfterAll
  static void stop() throws Exception {
    if (server != null) {
      server.close();
      database.close();
    }
    if (browser != null) {
      browser.close();
    }
  }

  @BeforeEach
  void open() {
    browser.open(server.url());
    browser.run("sessionStorage.clear()");
    browser.open(server.url());
    browser.see("#sign-in");
  }

  @Test
  void a_token_that_may_write() throws Exception {
    browser.type("#sign-in [name=secret]", "wrong");
    browser.click("#sign-in [type=submit]");
    browser.seeText("#sign-in .outcome", "does not know these");
    browser.screenshot("sign-in");
    browser.type("#sign-in [name=secret]", "token-of-operations");
    browser.click("#sign-in [type=submit]");
    browser.seeText("#who", "ops (may change)");
    browser.seeText("#live", "Live");
    browser.go("messages");
    browser.click("#messages button.link");
    browser.see("[data-action=cancel]");
    assertThat(browser.run("return Object.keys(localStorage).join()")).isEqualTo("");

    browser.open(server.url());
    browser.seeText("#who", "ops (may change)"); // the same tab knows it
    browser.click("#sign-out");
    browser.see("#sign-in");
    assertThat(browser.complaints()).allMatch(line -> line.contains("status of 401"));
  }

  @Test
  void a_password_that_may_only_read() {
    browser.click("#sign-in [value=basic]");
    browser.type("#sign-in [name=user]", "desk");
    browser.type("#sign-in [name=secret]", "Kennwort-mit-ä");
    browser.click("#sign-in [type=submit]");
    browser.seeText("#who", "desk (may read)");
    browser.go("messages");
    browser.seeText("#messages tbody", "o-1");
    browser.click("#messages button.link");
    browser.seeText("#message .facts", "orders");
    browser.seeNo("[data-action]");
  }
}
