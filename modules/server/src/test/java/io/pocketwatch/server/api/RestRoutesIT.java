// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.Headers;
import io.pocketwatch.localbroker.NetworkProxy;
import io.pocketwatch.server.serve.RunningServer;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** One route with all that is known of it, and what found no target. */
class RestRoutesIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();
  @TempDir static Path folder;

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static TestDatabase database;
  private static NetworkProxy network;
  private static RunningServer server;

  @BeforeAll
  static void start() throws Exception {
    database = TestDatabases.h2();
    network = NetworkProxy.to(broker.amqpUri());
    try (Connection connection = broker.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      for (String queue : new String[] {"routes-it.tracked", "routes-it.plain", "routes-it.gone"}) {
        channel.queueDeclare(queue, true, false, false, Map.of());
      }
    }
    URI direct = broker.amqpUri();
    server =
        RunningServer.start(
            folder,
            """
            name-prefix: routes-it
            routes:
              tracked: {routing-key: routes-it.tracked, tracking: full}
              plain: {routing-key: routes-it.plain}
              mail: {routing-key: routes-it.mail, tracking: full}
              gone: {routing-key: routes-it.gone}
              events: {exchange: amq.topic}
              shop: {exchange: routes-it.shop, routing-key: order.timeout, tracking: full}
              deals: {exchange: routes-it.deals, routing-key: deal.end}
            wheel: {max-delay: 1h, resolution: 100ms, hands: [1h, 1m, 1s, 100ms]}
            """,
            database.url(),
            new URI(
                direct.getScheme(),
                direct.getUserInfo(),
                network.host(),
                network.port(),
                direct.getPath(),
                null,
                null),
            Map.of());
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
    network.close();
    database.close();
  }

  @Test
  void a_route_without_rows() throws Exception {
    JsonNode tracked = route("tracked");
    assertThat(tracked.at("/settings/tracking").textValue()).isEqualTo("full");
    assertThat(tracked.at("/strategies").toString()).isEqualTo("[\"STORE\"]");
    assertThat(tracked.at("/target").textValue()).isEqualTo("routes-it.tracked");
    JsonNode queue = tracked.at("/queues/queues/0");
    assertThat(queue.at("/name").textValue()).isEqualTo("routes-it.tracked");
    assertThat(queue.at("/messages").intValue()).isZero();
    assertThat(queue.at("/consumers").intValue()).isZero();
    assertThat(tracked.at("/consumers")).isEmpty();
    assertThat(tracked.at("/storeKnown").booleanValue()).isTrue();
    assertThat(tracked.at("/lastDay/settled").intValue()).isZero();

    JsonNode events = route("events");
    assertThat(events.at("/strategies").toString()).isEqualTo("[\"QUEUE_WHEEL\"]");
    assertThat(events.at("/target").isNull()).isTrue();
    assertThat(events.at("/queues/queues")).isEmpty();
    assertThat(events.at("/queues/exchange/name").textValue()).isEqualTo("amq.topic");
    assertThat(events.at("/queues/exchange/problem").isNull()).isTrue();
    assertThat(events.at("/notSent").isNull()).isTrue();
    assertThat(RestServer.problem(server.get("/api/v1/routes/nobody"), 404)).isEqualTo("not-found");
  }

  @Test
  void what_waits_in_the_queue_of_an_untracked_route_and_who_takes_it() throws Exception {
    schedule("plain", 0);
    await()
        .atMost(PATIENCE)
        .until(() -> route("plain").at("/queues/queues/0/messages").intValue() == 1);
    try (Connection connection = broker.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.basicConsume("routes-it.plain", true, (tag, message) -> {}, tag -> {});
      await()
          .atMost(PATIENCE)
          .until(() -> route("plain").at("/queues/queues/0/consumers").intValue() == 1);
    }
  }

  @Test
  void what_found_no_target_is_shown_with_its_reason_and_sent_one_by_one() throws Exception {
    String one = schedule("gone", 3);
    String two = schedule("gone", 4);
    try (Connection connection = broker.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.queueDelete("routes-it.gone");
      await().atMost(PATIENCE).until(() -> unroutable().at("/count").intValue() == 2);

      JsonNode first = unroutable().at("/messages/0");
      assertThat(first.at("/id").textValue()).isEqualTo(one);
      assertThat(first.at("/route").textValue()).isEqualTo("gone");
      assertThat(first.at("/routingKey").textValue()).isEqualTo("routes-it.gone");
      assertThat(first.at("/reason").textValue()).isEqualTo("there is no queue 'routes-it.gone'");
      assertThat(first.at("/bodyText").textValue()).isEqualTo("{\"tea\":1}");
      assertThat(Instant.parse(first.at("/deliverAt").textValue())).isBefore(Instant.now());
      JsonNode gone = route("gone");
      assertThat(gone.at("/unroutable/count").intValue()).isEqualTo(2);
      assertThat(gone.at("/unroutable/reason").textValue())
          .isEqualTo("there is no queue 'routes-it.gone'");
      assertThat(gone.at("/queues/queues/0/problem").textValue())
          .isEqualTo("there is no queue 'routes-it.gone'");

      channel.queueDeclare("routes-it.gone", true, false, false, Map.of());
      assertThat(changed("send?id=" + two).at("/sent").intValue()).isEqualTo(1);
      assertThat(Headers.id(channel.basicGet("routes-it.gone", true).getProps())).isEqualTo(two);
      assertThat(changed("delete?id=" + two).at("/deleted").intValue()).isZero();
      assertThat(unroutable().at("/messages/0/id").textValue()).isEqualTo(one);
      assertThat(changed("delete?id=" + one).at("/deleted").intValue()).isEqualTo(1);
      assertThat(unroutable().at("/count").intValue()).isZero();
    }
  }

  @Tag("ci")
  @Test
  void why_messages_do_not_pass_an_exchange() throws Exception {
    assertThat(route("tracked").at("/queues/exchange").isNull()).isTrue();
    assertThat(route("deals").at("/queues/exchange/problem").textValue())
        .isEqualTo("there is no exchange 'routes-it.deals'");
    try (Connection connection = broker.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.exchangeDeclare("routes-it.shop", "topic", true);
      schedule("shop", 1);
      JsonNode notSent =
          await()
              .atMost(PATIENCE)
              .until(() -> route("shop").at("/notSent"), each -> each.isObject());
      assertThat(notSent.at("/exchange").textValue()).isEqualTo("routes-it.shop");
      assertThat(notSent.at("/routingKey").textValue()).isEqualTo("order.timeout");
      assertThat(notSent.at("/reason").textValue()).isEqualTo("312 NO_ROUTE");
      assertThat(notSent.at("/attempts").intValue()).isPositive();
      assertThat(Instant.parse(notSent.at("/nextAt").textValue())).isAfter(Instant.EPOCH);
      assertThat(route("shop").at("/queues/exchange/problem").isNull()).isTrue();

      channel.exchangeDelete("routes-it.shop");
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  "there is no exchange 'routes-it.shop'"
                      .equals(route("shop").at("/queues/exchange/problem").textValue()));
    }
  }

  @Test
  void a_broker_that_hangs_keeps_nobody() throws Exception {
    network.stall();
    try {
      Instant begin = Instant.now();
      JsonNode tracked = routeAsItIs("mail");
      assertThat(tracked.at("/queues/problem").textValue()).isEqualTo("the broker does not answer");
      assertThat(tracked.at("/storeKnown").booleanValue()).isTrue();
      assertThat(Duration.between(begin, Instant.now())).isLessThan(Duration.ofSeconds(8));
      // What was read just before the broker hung is told for a while.
      await()
          .atMost(PATIENCE)
          .until(() -> !routeAsItIs("mail").at("/unroutable/known").booleanValue());
      assertThat(RestServer.problem(server.get("/api/v1/unroutable"), 503))
          .isEqualTo("broker-unavailable");
    } finally {
      network.resume();
      route("mail");
      await().atMost(PATIENCE).until(() -> server.get("/api/v1/unroutable").statusCode() == 200);
    }
  }

  private static String schedule(String route, int seconds) throws Exception {
    String message = "{\"route\": \"%s\", \"delay\": \"%ss\", \"body\": {\"tea\":1}}";
    return RunningServer.json(
            server.post("/api/v1/messages", message.formatted(route, seconds)),
            route.equals("shop") ? 201 : 202)
        .at("/id")
        .textValue();
  }

  /** With the broker's answer: one that is slow, or hung a moment ago, is asked again. */
  private static JsonNode route(String name) {
    return await()
        .atMost(PATIENCE)
        .until(() -> routeAsItIs(name), each -> each.at("/queues/problem").isNull());
  }

  private static JsonNode routeAsItIs(String name) throws Exception {
    return RunningServer.json(server.get("/api/v1/routes/" + name), 200);
  }

  private static JsonNode unroutable() throws Exception {
    return RunningServer.json(server.get("/api/v1/unroutable"), 200);
  }

  private static JsonNode changed(String what) throws Exception {
    return RunningServer.json(server.post("/api/v1/unroutable/" + what, "{}"), 200);
  }
}
