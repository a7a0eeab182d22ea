// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import io.pocketwatch.store.jdbc.TransactionalPublisher;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.tracking.TrackedPublisher;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the manual shows of the store does what it says. */
class StoreReadmeIT {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

  private static final DelayRoutes ROUTES =
      DelayRoutes.builder()
          .route(
              DelayRoute.builder("order-timeout")
                  .exchange("orders")
                  .routingKey("order.timeout")
                  .tracking(Tracking.FULL)
                  .build())
          .build();

  private final JdbcConnectionPool dataSource =
      JdbcConnectionPool.create("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "", "");
  private JdbcDelayStore store;

  @BeforeEach
  void prepare() throws Exception {
    JdbcSchema.create(dataSource);
    store = JdbcDelayStore.builder(dataSource).build();
    try (Connection connection = dataSource.getConnection()) {
      connection.createStatement().execute("CREATE TABLE effects (effect VARCHAR(50))");
    }
    try (var connection = BROKER.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.exchangeDeclare("orders", "topic", true);
      Map<String, Object> quorum = Map.of("x-queue-type", "quorum");
      channel.queueDeclare("order-timeouts", true, false, false, quorum);
      channel.queuePurge("order-timeouts");
      channel.queueBind("order-timeouts", "orders", "order.timeout");
    }
  }

  @AfterEach
  void close() {
    dataSource.dispose();
  }

  @Test
  @DisplayName("the scheduled message is moved, then cancelled, and still found by its key")
  void scheduling() {
    MessageKey key = StoreSnippets.scheduling(BROKER.connectionFactory(), ROUTES, dataSource);

    assertThat(key).hasToString("order-timeout/order-4711");
    StoredMessage cancelled = store.find(key).orElseThrow();
    assertThat(cancelled.state()).isEqualTo(MessageState.CANCELLED);
    assertThat(cancelled.generation()).isEqualTo(2);
    assertThat(cancelled.message().businessKey()).isEqualTo("customer-7");
  }

  @Test
  @DisplayName("a message of a transaction arrives at the guard, and is settled with its effect")
  void transactions() throws Exception {
    DelayedMessage orderTimeout =
        DelayedMessage.to("orders", "order.timeout")
            .id("order-1")
            .body("12345")
            .delay(Duration.ofSeconds(1));
    try (var amqp = BROKER.connectionFactory().newConnection();
        TrackedPublisher pocketwatch =
            DelayedPublisher.builder(BROKER.connectionFactory())
                .routes(ROUTES)
                .build(TrackedPublisher.with(store));
        DeliveryGuard guard =
            StoreSnippets.consuming(pocketwatch, dataSource, amqp.createChannel());
        Connection connection = dataSource.getConnection()) {
      assertThat(guard.options().prefetch()).isPositive();
      StoreSnippets.inATransaction(pocketwatch, store, connection, orderTimeout);

      await()
          .atMost(Duration.ofSeconds(15))
          .untilAsserted(
              () ->
                  assertThat(store.find(new MessageKey("order-timeout", "order-1")))
                      .get()
                      .extracting(StoredMessage::state)
                      .isEqualTo(MessageState.SETTLED));
      assertThat(effects()).containsExactly("ordered", "cancelled 5");
    }
  }

  @Test
  @DisplayName("the recipes do what they say")
  void recipes() throws Exception {
    DelayRoutes.Builder routes = DelayRoutes.builder();
    try (var connection = BROKER.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      for (String[] target :
          new String[][] {
            {"reminder", "reminders", "mail"},
            {"summary", "summaries", "basket"},
            {"saga-timeout", "sagas", "timeout"}
          }) {
        channel.exchangeDeclare(target[1], "topic", true);
        routes.route(
            DelayRoute.builder(target[0])
                .exchange(target[1])
                .routingKey(target[2])
                .tracking(Tracking.FULL)
                .build());
      }
      for (String queue : List.of("mail", "billing")) {
        channel.queueDeclare(queue, false, false, true, Map.of());
        routes.route(
            DelayRoute.builder("order-" + queue)
                .exchange("")
                .routingKey(queue)
                .tracking(Tracking.FULL)
                .build());
      }
      channel.exchangeDeclare("work", "topic", true);
      for (String queue : List.of("jobs", "of-another-service")) {
        channel.queueDeclare(queue, false, false, true, Map.of());
        channel.queueBind(queue, "work", "job");
      }
      try (TrackedPublisher pocketwatch =
          DelayedPublisher.builder(BROKER.connectionFactory())
              .routes(routes.build())
              .build(TrackedPublisher.with(store))) {
        RecipeSnippets.reminder(pocketwatch, "customer-7", ZoneId.of("Europe/Berlin"));
        await().until(() -> store.list(MessageQuery.all().businessKey("customer-7")).size() == 1);

        DelayedMessage summary = DelayedMessage.to("summaries", "basket").body("3 changes");
        assertThat(RecipeSnippets.lastWriteWins(pocketwatch, summary, "basket-1"))
            .isEqualTo(ChangeOutcome.UNKNOWN);
        assertThat(RecipeSnippets.lastWriteWins(pocketwatch, summary, "basket-1"))
            .isEqualTo(ChangeOutcome.DONE);

        assertThat(RecipeSnippets.saga(pocketwatch, "saga-1")).isEqualTo(ChangeOutcome.DONE);

        Instant due = Instant.now().plus(Duration.ofMinutes(30)).truncatedTo(ChronoUnit.MILLIS);
        try (Connection transaction = dataSource.getConnection()) {
          RecipeSnippets.several(
              new TransactionalPublisher(pocketwatch, store), transaction, "order-9", due);
        }
        for (String route : List.of("order-mail", "order-billing")) {
          assertThat(store.find(new MessageKey(route, "order-9")))
              .get()
              .extracting(each -> each.deliverAt())
              .isEqualTo(due);
        }

        RecipeSnippets.retry(pocketwatch, 0, "job".getBytes(StandardCharsets.UTF_8));
        await().until(() -> channel.messageCount("jobs") == 1);
        Object failures = channel.basicGet("jobs", true).getProps().getHeaders().get("failures");
        assertThat(failures).isEqualTo(1);
        assertThat(channel.messageCount("of-another-service")).isZero();
      }
    }
  }

  private List<String> effects() throws SQLException {
    List<String> effects = new ArrayList<>();
    try (Connection connection = dataSource.getConnection();
        ResultSet rows = connection.createStatement().executeQuery("SELECT effect FROM effects")) {
      while (rows.next()) {
        effects.add(rows.getString(1));
      }
    }
    return effects;
  }
}
