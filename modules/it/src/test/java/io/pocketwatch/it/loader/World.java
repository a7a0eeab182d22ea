// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.loader;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.Headers;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.config.PublisherOptions;
import io.pocketwatch.config.WheelOptions;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.tracking.TrackedPublisher;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;

/** One route to one queue of its own, an empty database, and loaders. */
final class World implements AutoCloseable {
  private static final AtomicInteger WORLDS = new AtomicInteger();
  private static final int PREAMBLE = 12;

  /** The name of the route, its exchange and its queue. */
  final String route;

  final JdbcDelayStore store;
  final DelayRoutes routes;
  final TrackedPublisher publisher;
  private final ConnectionFactory factory;
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  private World(
      ConnectionFactory factory, TestDatabase database, String route, DelayRoutes routes) {
    this.factory = factory;
    this.route = route;
    this.routes = routes;
    open.push(database);
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url());
    config.setMaximumPoolSize(20);
    HikariDataSource pool = keep(new HikariDataSource(config));
    JdbcSchema.create(pool);
    this.store = JdbcDelayStore.builder(pool).build();
    this.publisher = publisher();
  }

  static World of(
      ConnectionFactory factory,
      TestDatabase database,
      Tracking tracking,
      Function<LoaderOptions, LoaderOptions> change)
      throws Exception {
    World world = withoutTarget(factory, database, tracking, change);
    world.target();
    return world;
  }

  static World withoutTarget(
      ConnectionFactory factory,
      TestDatabase database,
      Tracking tracking,
      Function<LoaderOptions, LoaderOptions> change) {
    String route = "work-" + WORLDS.incrementAndGet();
    LoaderOptions fast =
        LoaderOptions.builder().sweep(Duration.ofMillis(500)).every(Duration.ofHours(12)).build();
    DelayRoutes routes =
        DelayRoutes.builder()
            .route(
                DelayRoute.builder(route)
                    .exchange(route)
                    .routingKey("key")
                    .tracking(tracking)
                    .build())
            .hold(
                HoldOptions.builder()
                    .wheel(
                        WheelOptions.builder()
                            .maxDelay(Duration.ofSeconds(90))
                            .hands(
                                List.of(
                                    Duration.ofSeconds(10),
                                    Duration.ofSeconds(1),
                                    Duration.ofMillis(100)))
                            .build())
                    .build())
            .publisher(
                PublisherOptions.builder()
                    .confirmTimeout(Duration.ofSeconds(10))
                    .maxBodySize(1 << 20)
                    .build())
            .loader(change.apply(fast))
            .build();
    return new World(factory, database, route, routes);
  }

  /** The exchange and the queue of the route, empty. */
  void target() throws Exception {
    try (Connection connection = factory.newConnection("target");
        Channel channel = connection.createChannel()) {
      channel.exchangeDeclare(route, BuiltinExchangeType.DIRECT, true);
      channel.queueDeclare(route, true, false, false, Map.of("x-queue-type", "classic"));
      channel.queuePurge(route);
      channel.queueBind(route, route, "key");
    }
  }

  TrackedPublisher publisher() {
    return keep(
        DelayedPublisher.builder(factory).routes(routes).build(TrackedPublisher.with(store)));
  }

  Loader loader() {
    return keep(new Loader(publisher));
  }

  /** With a connection of its own, as in another process. */
  Loader distantLoader() {
    return keep(new Loader(publisher()));
  }

  Loader loader(PocketwatchListener listener) {
    return keep(new Loader(publisher, listener));
  }

  ScheduledMessage row(String id, Instant deliverAt, byte[] body) {
    DelayedMessage message = DelayedMessage.to(route, "key").id(id).body(body).deliverAt(deliverAt);
    return publisher.unwrap(HandOff.class).prepare(message).row();
  }

  /** Numbered rows that wait for a loader. */
  List<ScheduledMessage> insert(int count, Instant deliverAt) {
    List<ScheduledMessage> rows =
        IntStream.range(0, count).mapToObj(i -> row("m-" + i, deliverAt, new byte[100])).toList();
    insert(rows);
    return rows;
  }

  void insert(List<ScheduledMessage> rows) {
    for (int from = 0; from < rows.size(); from += 5_000) {
      store.insert(rows.subList(from, Math.min(rows.size(), from + 5_000)), null);
    }
  }

  /** As somebody would have put it there who did not ask us. */
  static ScheduledMessage withProperties(ScheduledMessage row, BasicProperties properties)
      throws IOException {
    byte[] frame = properties.toFrame(0, 0).getPayload();
    return new ScheduledMessage(
        row.key(),
        row.businessKey(),
        row.exchange(),
        row.routingKey(),
        Arrays.copyOfRange(frame, PREAMBLE, frame.length),
        row.body(),
        row.deliverAt(),
        row.tracking());
  }

  MessageKey key(String id) {
    return new MessageKey(route, id);
  }

  /** How often each id has arrived, from now on. */
  Map<String, Integer> arrivals() throws Exception {
    Map<String, Integer> arrived = new ConcurrentHashMap<>();
    Connection connection = factory.newConnection("arrivals");
    open.push(() -> connection.abort(1_000));
    connection
        .createChannel()
        .basicConsume(
            route,
            true,
            (tag, delivery) ->
                arrived.merge(
                    Objects.requireNonNull(Headers.id(delivery.getProperties())), 1, Integer::sum),
            tag -> {});
    return arrived;
  }

  long waitingInTheTarget() throws Exception {
    try (Connection connection = factory.newConnection("count");
        Channel channel = connection.createChannel()) {
      return channel.messageCount(route);
    }
  }

  private <T extends AutoCloseable> T keep(T closeable) {
    open.push(closeable);
    return closeable;
  }

  @Override
  public void close() throws Exception {
    List<Exception> failures = new ArrayList<>();
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (Exception e) {
        failures.add(e);
      }
    }
    if (!failures.isEmpty()) {
      throw failures.get(0);
    }
  }
}
