// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.console;

import static io.pocketwatch.server.serve.RunningServer.json;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.sun.net.httpserver.HttpServer;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.server.config.ConfigurationFile;
import io.pocketwatch.server.config.StoreSettings;
import io.pocketwatch.server.serve.RunningServer;
import io.pocketwatch.server.store.OpenStore;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import io.pocketwatch.tracking.TrackedPublisher;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** A server on a real broker and PostgreSQL, with a consumer that settles what arrives. */
final class ConsoleGround implements AutoCloseable {
  private static final String SECTIONS =
      """
      routes:
        order-timeout: {routing-key: order-timeout, tracking: full}
        reminder: {routing-key: reminder, tracking: full}
        review: {routing-key: review, tracking: full}
        basket: {routing-key: basket, tracking: full}
        invoice: {routing-key: invoice, tracking: handoff, handoff-before: 1s}
        invoice-mail: {routing-key: invoice-mail, tracking: full}
        stock: {routing-key: stock, tracking: full, retries: [100ms, 100ms]}
        plan: {routing-key: plan, tracking: handoff, handoff-before: 1s}
        plain: {routing-key: plain}
        refund: {routing-key: refund, retries: [100ms]}
      wheel: %2$s
      loader: {every: 2h, lead: 1h, sweep: 500ms}
      server:
        name: shop
        limits: {requests: 5000}
        callbacks:
          invoice-mail: {url: '%1$s/invoice-mail'}
          stock: {url: '%1$s/stock'}
          refund: {url: '%1$s/stock'}
      """;

  private static final String[] QUEUES = {
    "order-timeout", "reminder", "review", "basket", "invoice", "plan", "plain"
  };

  private static final Duration CALM = Duration.ofMinutes(30);

  private final HttpServer targets;
  private final String wheel;
  private final Path folder;
  private final BrokerExtension broker;
  private final TestDatabase database;
  private final OpenStore own; // survives the server
  private final Connection connection;
  private final TrackedPublisher publisher;
  private final DeliveryGuard guard;
  private final int port;
  private RunningServer server;

  ConsoleGround(Path folder, BrokerExtension broker) throws Exception {
    this(folder, broker, "{max-delay: 4h, resolution: 1s, hands: [1h, 1m, 1s]}", CALM);
  }

  /**
   * @param calm for so long nothing of the shop's comes due
   */
  ConsoleGround(Path folder, BrokerExtension broker, String wheel, Duration calm) throws Exception {
    this.wheel = wheel;
    this.folder = folder;
    this.broker = broker;
    targets = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    answer("/invoice-mail", 200);
    answer("/stock", 503);
    targets.start();
    database = TestDatabases.postgresql();
    connection = broker.connectionFactory().newConnection();
    Channel channel = connection.createChannel();
    for (String queue : QUEUES) {
      channel.queueDeclare(queue, true, false, false, Map.of());
    }
    own = OpenStore.create(StoreSettings.at(database.url(), Map.of()));
    Shop.insert(own.pool(), calm);
    server = start(0);
    port = URI.create(server.url()).getPort();
    DelayRoutes routes = ConfigurationFile.load(folder.resolve("pocketwatch.yml")).routes();
    publisher =
        DelayedPublisher.builder(broker.connectionFactory())
            .routes(routes)
            .build(TrackedPublisher.with(own.store()));
    guard = DeliveryGuard.of(publisher, GuardOptions.defaults());
  }

  private void answer(String path, int status) {
    targets.createContext(
        path,
        call -> {
          call.getRequestBody().readAllBytes();
          call.sendResponseHeaders(status, -1);
          call.close();
        });
  }

  private RunningServer start(int port) throws Exception {
    return RunningServer.start(
        folder,
        SECTIONS.formatted("http://127.0.0.1:" + targets.getAddress().getPort(), wheel),
        database.url(),
        broker.amqpUri(),
        Map.of(),
        port);
  }

  boolean isLoaded() {
    return own.store().heartbeats().stream().anyMatch(each -> each.lastRun() != null);
  }

  /** One more, by a publisher of its own. */
  void publish(String route, String id, Duration delay) {
    publisher.publish(DelayedMessage.to("", route).id(id).body(new byte[2]).delay(delay));
  }

  /** From now on what arrives on this route is settled. */
  void consume(String queue) throws Exception {
    guard.consume(connection.createChannel(), queue, delivery -> {});
  }

  String url() {
    return server.url();
  }

  void stopServer() {
    server.close();
  }

  /** Where it was. */
  void startServer() throws Exception {
    server = start(port);
  }

  void schedule(String route, String id, Duration delay) throws Exception {
    schedule(route, id, delay, "customer-4711", "{\"order\": 4711}");
  }

  void schedule(String route, String id, Duration delay, String businessKey, String body)
      throws Exception {
    String message =
        """
        {"route": "%s", "id": "%s", "delay": "%sms", "businessKey": "%s",
         "headers": {"shop": "<b>north</b>", "tries": 3}, "body": %s}
        """;
    json(
        server.post(
            "/api/v1/messages", message.formatted(route, id, delay.toMillis(), businessKey, body)),
        201);
  }

  /** A body of any bytes, and a header with a number that JavaScript does not have. */
  void scheduleBytes(String route, String id, String contentType, byte[] body) throws Exception {
    String message =
        """
        {"route": "%s", "id": "%s", "delay": "3h", "contentType": "%s",
         "headers": {"number": 9007199254740993}, "bodyBase64": "%s"}
        """;
    json(
        server.post(
            "/api/v1/messages",
            message.formatted(route, id, contentType, Base64.getEncoder().encodeToString(body))),
        201);
  }

  /** One that was due long ago. */
  void scheduleForThePast(String route, String id) throws Exception {
    scheduleFor(Instant.EPOCH, route, id);
  }

  void scheduleFor(Instant due, String route, String id) throws Exception {
    String message = "{\"route\": \"%s\", \"id\": \"%s\", \"deliverAt\": \"%s\"}";
    json(server.post("/api/v1/messages", message.formatted(route, id, due)), 201);
  }

  /** A callback that is given up, and has no row. */
  void callInVain() throws Exception {
    try (Channel channel = connection.createChannel()) {
      channel.basicPublish("", "refund", null, new byte[1]);
    }
  }

  /** How many of those there are. */
  long calledInVain() throws Exception {
    try (Channel channel = connection.createChannel()) {
      return channel.messageCount("pocketwatch.parked.refund");
    }
  }

  void deleteQueue(String queue) throws Exception {
    try (Channel channel = connection.createChannel()) {
      channel.queueDelete(queue);
    }
  }

  /** As if it had stopped: nobody is connected any more, and nobody can. */
  void refuseDatabase(boolean refuse) throws SQLException {
    String name = URI.create(database.url().substring("jdbc:".length())).getPath().substring(1);
    try (java.sql.Connection admin = DriverManager.getConnection(database.adminUrl());
        Statement statement = admin.createStatement()) {
      statement.execute("ALTER DATABASE %s ALLOW_CONNECTIONS %s".formatted(name, !refuse));
      if (refuse) {
        statement.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '%s'"
                .formatted(name));
      }
    }
  }

  /** As the broker does with what comes due for a target that is gone. */
  void loseTarget() throws Exception {
    try (Channel channel = connection.createChannel()) {
      channel.basicPublish("", "pocketwatch.unroutable", null, new byte[0]);
    }
  }

  void putSchedule(String name, String definition) throws Exception {
    json(
        server.send(
            server
                .request("/api/v1/schedules/" + name)
                .header("Content-Type", "application/json")
                .PUT(BodyPublishers.ofString(definition))),
        201);
  }

  void post(String path) throws Exception {
    json(server.post(path, "{}"), 200);
  }

  /**
   * As a loader does that has tried for long enough; takes whatever of the route is due by then.
   */
  int park(String route, Duration dueWithin, String reason) {
    ClaimRequest all =
        new ClaimRequest(
            route,
            Instant.now().plus(dueWithin),
            1_000,
            1L << 30,
            new Lease("test", Duration.ofMinutes(1)));
    int parked = 0;
    for (Claim claim : own.store().claim(all)) {
      parked +=
          own.store().conclude(List.of(Conclusion.park(claim, reason))).contains(Ended.APPLIED)
              ? 1
              : 0;
    }
    return parked;
  }

  @Override
  public void close() throws Exception {
    guard.close();
    publisher.close();
    connection.close();
    own.close();
    server.close();
    targets.stop(0);
    database.close();
  }
}
