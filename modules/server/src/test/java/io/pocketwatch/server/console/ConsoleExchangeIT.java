// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.console;

import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.server.config.ConfigurationFile;
import io.pocketwatch.server.serve.RunningServer;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import io.pocketwatch.tracking.TrackedPublisher;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the page of a route with an exchange says of the four usual troubles. From the first page it
 * is two clicks away. Screenshots: {@code target/screenshots/exchange-*}.
 */
@Tag("wide")
class ConsoleExchangeIT {
  @RegisterExtension
  static final BrokerExtension broker = BrokerExtension.anyVersion().allowingOpenConnections();

  @TempDir static Path folder;

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String[] TROUBLES = {"never", "stopped", "deleted", "unbound"};

  private static Browser browser;
  private static TestDatabase database;
  private static RunningServer server;
  private static Connection connection;

  @BeforeAll
  static void start() throws Exception {
    browser = Browser.start();
    database = TestDatabases.postgresql();
    connection = broker.connectionFactory().newConnection();
    StringBuilder routes = new StringBuilder();
    try (Channel channel = connection.createChannel()) {
      for (String trouble : TROUBLES) {
        String name = "exchange-it." + trouble;
        channel.exchangeDeclare(name, "topic", true);
        channel.queueDeclare(name, true, false, false, Map.of());
        channel.queueBind(name, name, "order.timeout");
        routes.append(
            "  %s: {exchange: %s, routing-key: order.timeout, tracking: full}%n"
                .formatted(trouble, name));
      }
    }
    server =
        RunningServer.start(
            folder,
            "name-prefix: exchange-it%nroutes:%n%s".formatted(routes)
                + "loader: {every: 2h, lead: 1h, sweep: 500ms}\n",
            database.url(),
            broker.amqpUri(),
            Map.of());
  }

  @AfterAll
  static void stop() throws Exception {
    if (connection != null) {
      connection.close();
    }
    if (server != null) {
      server.close();
    }
    if (database != null) {
      database.close();
    }
    if (browser != null) {
      browser.close();
    }
  }

  @Test
  void a_consumer_was_never_started() throws Exception {
    schedule("never");
    look("never");
    browser.seeText("#route .flag.bad", "No consumer has settled a message of this route yet.");
    browser.seeText("#route .flag.bad", "bound to exchange exchange-it.never");
    browser.seeText("#route [data-part=queues]", "exchange-it.never exists");
    browser.screenshots("exchange-never");
  }

  @Test
  void a_consumer_has_stopped() throws Exception {
    schedule("stopped");
    settleOne();
    schedule("stopped");
    look("stopped");
    browser.seeText("#route .flag.bad", "Queue exchange-it.stopped has no consumer.");
    browser.seeText("#route .flag.bad", "Messages waiting in it: 1");
    browser.seeText("#route [data-part=queues] tbody", "no consumer");
    browser.screenshots("exchange-stopped");
  }

  @Test
  void the_exchange_is_deleted() throws Exception {
    try (Channel channel = connection.createChannel()) {
      channel.exchangeDelete("exchange-it.deleted");
    }
    schedule("deleted");
    look("deleted");
    browser.seeText(
        "#route .body > .flag.bad:first-child", "Exchange exchange-it.deleted does not exist.");
    browser.seeText("#route [data-part=queues]", "exchange-it.deleted is not there");
    browser.screenshots("exchange-deleted");
  }

  @Test
  void the_queue_is_unbound() throws Exception {
    try (Channel channel = connection.createChannel()) {
      channel.queueUnbind("exchange-it.unbound", "exchange-it.unbound", "order.timeout");
    }
    schedule("unbound");
    look("unbound");
    browser.seeText(
        "#route .flag.bad",
        "No queue is bound to exchange exchange-it.unbound for routing key order.timeout.");
    browser.screenshots("exchange-unbound");
  }

  private static void schedule(String route) throws Exception {
    String message = "{\"route\": \"%s\", \"delay\": \"1s\", \"body\": {\"tea\":1}}";
    RunningServer.json(server.post("/api/v1/messages", message.formatted(route)), 201);
  }

  /** A consumer that comes, settles what waits for it, and goes. */
  private static void settleOne() throws Exception {
    try (TrackedPublisher publisher =
            DelayedPublisher.builder(broker.connectionFactory())
                .routes(ConfigurationFile.load(folder.resolve("pocketwatch.yml")).routes())
                .build(TrackedPublisher.with(server.store()));
        DeliveryGuard guard = DeliveryGuard.of(publisher, GuardOptions.defaults())) {
      guard.consume(connection.createChannel(), "exchange-it.stopped", delivery -> {});
      await().atMost(PATIENCE).until(() -> !server.store().progress("stopped").isEmpty());
    }
  }

  /** Two clicks. */
  private static void look(String route) {
    browser.pretendLaptop();
    browser.open(server.url());
    browser.go("routes");
    browser.click("#routes [data-route=%s] h3 a".formatted(route));
    browser.seeText("#route-title", route);
    browser.seeText("#route .flag.bad", "Overdue: 1"); // told 10 s after its instant
  }
}
