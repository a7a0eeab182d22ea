// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.subject;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.Payload;
import io.pocketwatch.benchmarks.peer.sql.LaneDatabase;
import io.pocketwatch.benchmarks.peer.sql.PostgresServer;
import io.pocketwatch.benchmarks.peer.sql.SqlLane;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.loader.LoadReport;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import io.pocketwatch.tracking.TrackedPublisher;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/** A publisher, a loader and a consumer on one database and one virtual host. */
public final class StoreLane implements SqlLane {
  private static final String ROUTE = "bench";

  /** The guard's, and for inserts, marks, the loader's batches and looks. */
  private static final int CONNECTIONS = 16;

  private static final int LARGEST_INSERT = 1_000;

  private static final String FILL =
      """
      INSERT INTO pocketwatch_message (route, id, exchange, routing_key, properties, body,
        deliver_at, first_deliver_at, next_at, tracking, state, created_at,
        updated_at)
      SELECT route, gen_random_uuid()::text, exchange, routing_key, properties, body,
        due, due, due, tracking, state, created_at, updated_at
      FROM pocketwatch_message, (
        SELECT (extract(epoch FROM now() + interval '2 days' + random() * interval '365 days')
          * 1000)::bigint AS due
        FROM generate_series(1, %s)) dues
      WHERE id = 'template'
      """;

  private final Deque<AutoCloseable> parts = new ArrayDeque<>();
  private final LaneDatabase database;
  private final JdbcDelayStore store;
  private final TrackedPublisher publisher;
  private final Loader loader;
  private final Ledger ledger;

  private StoreLane(
      PostgresServer postgres, RabbitServer rabbit, Tracking tracking, int channels, Ledger ledger)
      throws Exception {
    this.ledger = ledger;
    try {
      database = part(LaneDatabase.create(postgres, CONNECTIONS));
      database.execute(JdbcSchema.ddl("postgresql"));
      store = JdbcDelayStore.builder(database.dataSource()).build();
      RabbitServer.VirtualHost host = part(rabbit.virtualHost());
      declareTarget(host);
      DelayRoutes routes = routes(tracking);
      publisher =
          part(
              DelayedPublisher.builder(host.connectionFactory())
                  .routes(routes)
                  .build(TrackedPublisher.with(store)));
      publisher.declareWheel().join(); // no part of what is measured
      loader = part(new Loader(publisher));
      if (tracking == Tracking.FULL) {
        part(GuardedTarget.consume(host, store, publisher, channels, ledger));
      } else {
        part(TargetQueue.consume(host.connect(), "quorum", ledger));
      }
    } catch (Exception e) {
      close();
      throw e;
    }
  }

  static StoreLane open(
      PostgresServer postgres, RabbitServer rabbit, Tracking tracking, int channels, Ledger ledger)
      throws Exception {
    return new StoreLane(postgres, rabbit, tracking, channels, ledger);
  }

  private static void declareTarget(RabbitServer.VirtualHost host) throws Exception {
    try (Connection connection = host.connect();
        Channel channel = connection.createChannel()) {
      channel.exchangeDeclare(TargetQueue.EXCHANGE, BuiltinExchangeType.DIRECT, true);
      channel.queueDeclare(TargetQueue.KEY, true, false, false, Map.of("x-queue-type", "quorum"));
      channel.queueBind(TargetQueue.KEY, TargetQueue.EXCHANGE, TargetQueue.KEY);
    }
  }

  private static DelayRoutes routes(Tracking tracking) {
    DelayRoute route =
        DelayRoute.builder(ROUTE)
            .exchange(TargetQueue.EXCHANGE)
            .routingKey(TargetQueue.KEY)
            .tracking(tracking)
            .build();
    return DelayRoutes.builder().route(route).build();
  }

  private <T extends AutoCloseable> T part(T part) {
    parts.push(part);
    return part;
  }

  @Override
  public LaneDatabase database() {
    return database;
  }

  @Override
  public void start() {
    loader.start();
  }

  @Override
  public void ask(int number, byte[] payload, long dueMillis) {
    publisher
        .publish(message(Integer.toString(number), payload, dueMillis))
        .whenComplete(
            (receipt, failure) -> {
              if (receipt != null && receipt.confirmed()) {
                ledger.confirmed(1);
              } else {
                ledger.refused(String.valueOf(receipt == null ? failure : receipt));
              }
            });
  }

  private static DelayedMessage message(String id, byte[] payload, long dueMillis) {
    return DelayedMessage.to(TargetQueue.EXCHANGE, TargetQueue.KEY)
        .id(id)
        .body(payload)
        .deliverAt(Instant.ofEpochMilli(dueMillis));
  }

  /** Stores messages for the loader to find, as if they had been out of reach until now. */
  public void store(int messages, Instant firstDue, Duration spread) {
    List<ScheduledMessage> batch = new ArrayList<>();
    for (int number = 0; number < messages; number++) {
      long due = firstDue.toEpochMilli() + spread.toMillis() * number / messages;
      batch.add(row(message(Integer.toString(number), Payload.of(number), due)));
      if (batch.size() == LARGEST_INSERT || number == messages - 1) {
        store.insert(batch, null);
        batch.clear();
      }
    }
  }

  private ScheduledMessage row(DelayedMessage message) {
    return publisher.unwrap(HandOff.class).prepare(message).row();
  }

  /** Loads on this thread what is due within the horizon. */
  public LoadReport load() {
    return loader.runOnce();
  }

  /** Messages that are on the broker, as the database knows it. */
  public long held() throws Exception {
    return database.number("SELECT count(*) FROM pocketwatch_message WHERE state = 'HELD'");
  }

  @Override
  public void fill(long rows) throws Exception {
    long due = Instant.now().plus(Duration.ofDays(300)).toEpochMilli();
    store.insert(List.of(row(message("template", Payload.of(0), due))), null);
    database.execute(FILL.formatted(rows));
  }

  @Override
  public void close() throws Exception {
    while (!parts.isEmpty()) {
      parts.pop().close();
    }
  }
}
