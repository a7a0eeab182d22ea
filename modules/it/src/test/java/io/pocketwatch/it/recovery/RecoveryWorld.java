// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.config.WheelOptions;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import io.pocketwatch.tracking.TrackedPublisher;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** One tracked route to a quorum queue, over an empty PostgreSQL and a real broker. */
final class RecoveryWorld implements AutoCloseable {
  static final String ROUTE = "work";
  static final String DEAD = "dead";
  private static final WheelOptions WHEEL =
      WheelOptions.builder()
          .maxDelay(Duration.ofSeconds(900))
          .hands(
              List.of(
                  Duration.ofSeconds(100),
                  Duration.ofSeconds(10),
                  Duration.ofSeconds(1),
                  Duration.ofMillis(100),
                  Duration.ofMillis(10)))
          .build();

  private final Supplier<ConnectionFactory> broker;
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final HikariDataSource pool;
  private final JdbcDelayStore store;
  private final String databaseUrl;
  private final TrackedPublisher publisher;
  private final Resent resent = new Resent();

  RecoveryWorld(Supplier<ConnectionFactory> broker, LoaderOptions options) throws Exception {
    this.broker = broker;
    TestDatabase database = keep(TestDatabases.postgresql());
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url());
    config.setMaximumPoolSize(20);
    this.pool = keep(new HikariDataSource(config));
    JdbcSchema.create(pool);
    this.store = JdbcDelayStore.builder(pool).build();
    this.databaseUrl = database.url();
    declareTarget();
    this.publisher =
        keep(
            DelayedPublisher.builder(broker.get())
                .routes(routes(options))
                .build(TrackedPublisher.with(store)));
  }

  /** What every process of this world is configured with. */
  static DelayRoutes routes(LoaderOptions options) {
    return DelayRoutes.builder()
        .hold(HoldOptions.builder().wheel(WHEEL).build())
        .route(DelayRoute.builder(ROUTE).routingKey(ROUTE).tracking(Tracking.FULL).build())
        .loader(options)
        .build();
  }

  /** The queue of the route, and the one for what its handlers give up. */
  void declareTarget() throws IOException, TimeoutException {
    try (Connection connection = broker.get().newConnection("target");
        Channel channel = connection.createChannel()) {
      channel.queueDeclare(DEAD, true, false, false, Map.of("x-queue-type", "quorum"));
      channel.queueDeclare(
          ROUTE,
          true,
          false,
          false,
          Map.of(
              "x-queue-type",
              "quorum",
              "x-dead-letter-exchange",
              "",
              "x-dead-letter-routing-key",
              DEAD));
      channel.queuePurge(DEAD);
      channel.queuePurge(ROUTE);
    }
  }

  /** A loader at work. */
  Loader loader() {
    Loader loader = keep(new Loader(publisher, resent));
    loader.start();
    return loader;
  }

  /** What the loader has sent again. */
  Resent resent() {
    return resent;
  }

  /** What a handler's effects are written to. */
  Effects effects() throws Exception {
    return new Effects(pool, store);
  }

  /** Guarded consumers of the route's queue; the caller may close them before the world's end. */
  Workers workers(int channels, Work work) throws Exception {
    return workers(channels, work, Duration.ofSeconds(30));
  }

  Workers workers(int channels, Work work, Duration lease) throws Exception {
    HandOff handOff = publisher.unwrap(HandOff.class);
    return keep(new Workers(broker.get(), store, handOff, channels, work, lease));
  }

  /** Somebody deletes the queue of the route, with all that is in it. */
  void deleteTarget() throws IOException, TimeoutException {
    try (Connection connection = broker.get().newConnection("deletes");
        Channel channel = connection.createChannel()) {
      channel.queueDelete(ROUTE);
    }
  }

  /** Publishes all of them, and waits until each is durably kept. */
  void publish(int count, IntFunction<DelayedMessage> message) throws Exception {
    List<CompletableFuture<PublishReceipt>> receipts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      receipts.add(publisher.publish(message.apply(i)));
    }
    for (CompletableFuture<PublishReceipt> receipt : receipts) {
      assertThat(receipt.get(60, TimeUnit.SECONDS).confirmed()).isTrue();
    }
  }

  static DelayedMessage message(String id) {
    return DelayedMessage.toQueue(ROUTE).id(id).body(new byte[256]);
  }

  static MessageKey key(String id) {
    return new MessageKey(ROUTE, id);
  }

  /** Where another process finds the same store. */
  String databaseUrl() {
    return databaseUrl;
  }

  JdbcDelayStore store() {
    return store;
  }

  TrackedPublisher publisher() {
    return publisher;
  }

  long count(MessageState... states) {
    return store.count(MessageQuery.all().states(states));
  }

  long waiting(String queue) throws IOException, TimeoutException {
    try (Connection connection = broker.get().newConnection("count");
        Channel channel = connection.createChannel()) {
      return channel.messageCount(queue);
    }
  }

  private <T extends AutoCloseable> T keep(T closeable) {
    open.push(closeable);
    return closeable;
  }

  @Override
  public void close() throws Exception {
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }
}
