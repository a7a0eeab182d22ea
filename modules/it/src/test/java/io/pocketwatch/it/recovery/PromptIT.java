// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import io.pocketwatch.tracking.TrackedPublisher;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How late tracked messages are beside a backlog of another route, and after changes by hand. */
@Tag("wide")
class PromptIT {
  @RegisterExtension
  static final BrokerExtension BROKER =
      BrokerExtension.version("4.3").dedicated().allowingOpenConnections();

  private static final String BIG = "big";
  private static final String SMALL = "small";
  private static final int BACKLOG = 100_000;
  private static final int CHANGES = 1_000;
  private static final Duration LONG = Duration.ofHours(5);

  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final AtomicInteger big = new AtomicInteger();

  /** When each message of the small route arrived. */
  private final Map<String, Instant> arrived = new ConcurrentHashMap<>();

  /** What fails when it is handled first. */
  private final Set<String> failing = ConcurrentHashMap.newKeySet();

  private HikariDataSource pool;
  private JdbcDelayStore store;
  private TrackedPublisher publisher;

  @BeforeEach
  void begin() throws Exception {
    TestDatabase database = keep(TestDatabases.postgresql());
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url());
    config.setMaximumPoolSize(16);
    pool = keep(new HikariDataSource(config));
    JdbcSchema.create(pool);
    store = JdbcDelayStore.builder(pool).build();
    Connection connection = BROKER.connectionFactory().newConnection();
    open.push(() -> connection.abort(1_000));
    try (Channel channel = connection.createChannel()) {
      for (String queue : List.of(BIG, SMALL)) {
        channel.queueDeclare(queue, true, false, false, Map.of("x-queue-type", "quorum"));
        channel.queuePurge(queue);
      }
    }
    DelayRoutes routes = DelayRoutes.builder().route(route(BIG)).route(route(SMALL)).build();
    publisher =
        keep(
            DelayedPublisher.builder(BROKER.connectionFactory())
                .routes(routes)
                .build(TrackedPublisher.with(store)));
    keep(new Loader(publisher)).start();
    DeliveryGuard guard =
        keep(
            new DeliveryGuard(
                store,
                publisher.unwrap(HandOff.class),
                GuardOptions.defaults(),
                PocketwatchListener.NONE));
    for (int i = 0; i < 20; i++) {
      guard.consume(connection.createChannel(), BIG, delivery -> big.incrementAndGet());
    }
    guard.consume(
        connection.createChannel(),
        SMALL,
        delivery -> {
          String id = delivery.delayed().orElseThrow().id();
          if (!failing.remove(id)) {
            arrived.put(id, Instant.now());
            return;
          }
          throw new IllegalStateException("as it should");
        });
  }

  private static DelayRoute route(String name) {
    return DelayRoute.builder(name).routingKey(name).tracking(Tracking.FULL).build();
  }

  private <T extends AutoCloseable> T keep(T closeable) {
    open.push(closeable);
    return closeable;
  }

  @AfterEach
  void end() throws Exception {
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }

  @Test
  void a_hundred_thousand_due_in_one_second_hold_up_no_other_route() throws Exception {
    steady("warm", Duration.ofSeconds(5));
    long alone = p99(steady("alone", Duration.ofSeconds(8)));
    Instant due = store.now().plusSeconds(12);
    for (int from = 0; from < BACKLOG; from += 1_000) {
      List<ScheduledMessage> rows = new ArrayList<>();
      for (int i = from; i < from + 1_000; i++) {
        DelayedMessage message =
            DelayedMessage.toQueue(BIG)
                .id("big-" + i)
                .body(new byte[256])
                .deliverAt(due.plusMillis(i / 100));
        rows.add(publisher.unwrap(HandOff.class).prepare(message).row());
      }
      store.insert(rows, null);
    }
    await().atMost(Duration.ofSeconds(30)).until(() -> big.get() > 0);
    long beside = p99(steady("beside", Duration.ofSeconds(8)));

    System.out.printf(
        "late at 50/s, p99: alone %s ms, beside 100,000 of another route %s ms (%s of them done)%n",
        alone, beside, big.get());
    assertThat(big).hasValueLessThan(BACKLOG); // it was there all the while
    assertThat(beside).as("seconds, if they waited for the backlog").isLessThanOrEqualTo(500);
  }

  @Test
  void an_open_transaction_and_what_died_since_hold_up_nobody() throws Exception {
    steady("warm", Duration.ofSeconds(5), 500);
    long without = p99(steady("without", Duration.ofSeconds(10), 500));
    try (java.sql.Connection open = pool.getConnection();
        Statement statement = open.createStatement()) {
      open.setTransactionIsolation(java.sql.Connection.TRANSACTION_REPEATABLE_READ);
      open.setAutoCommit(false);
      statement.execute("SELECT COUNT(*) FROM pocketwatch_message"); // its snapshot
      leaveDeadRows();
      long beside = p99(steady("beside", Duration.ofSeconds(10), 500));

      System.out.printf(
          "late at 500/s, p99: %s ms, beside an open transaction and %s dead rows %s ms%n",
          without, deadRows(), beside);
      assertThat(beside).isLessThanOrEqualTo(Math.max(2 * without, 50));
      open.rollback();
    }
  }

  /** As of messages of the small route that were sent, handled and deleted: 1,500,000. */
  private void leaveDeadRows() throws SQLException {
    try (java.sql.Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      for (int i = 0; i < 10; i++) {
        statement.execute(
            """
            INSERT INTO pocketwatch_message (route, id, exchange, routing_key, properties, body,
              deliver_at, first_deliver_at, next_at, tracking, state, created_at, updated_at)
            SELECT 'small', 'dead-%1$s-' || n, '', 'q', '\\x0000', '\\x7b7d', n, n, n, 'FULL',
              'PENDING', n, n FROM generate_series(%2$s - 3600000, %2$s - 3570001) n
            """
                .formatted(i, store.now().toEpochMilli()));
        String dead = " WHERE id LIKE 'dead-%'";
        statement.execute("UPDATE pocketwatch_message SET state = 'HELD', held_until = 1" + dead);
        statement.execute("UPDATE pocketwatch_message SET state = 'PENDING', fence = 1" + dead);
        statement.execute("UPDATE pocketwatch_message SET lease_until = 1" + dead);
        statement.execute("UPDATE pocketwatch_message SET state = 'CANCELLED'" + dead);
        statement.execute("DELETE FROM pocketwatch_message" + dead);
      }
    }
  }

  private String deadRows() throws SQLException {
    try (java.sql.Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT n_dead_tup FROM pg_stat_user_tables WHERE relname = 'pocketwatch_message'")) {
      row.next();
      return row.getString(1);
    }
  }

  @Test
  void what_is_moved_or_released_by_hand_comes_at_once() throws Exception {
    changed("warm", LONG, id -> publisher.store().reschedule(id, Instant.now()));
    long rescheduled =
        p99(changed("moved", LONG, id -> publisher.store().reschedule(id, Instant.now())));
    for (int i = 0; i < CHANGES; i++) {
      failing.add("released" + i);
    }
    long released = p99(changed("released", Duration.ZERO, id -> publisher.store().retry(id)));

    System.out.printf(
        "p99 from the change to the handler: rescheduled to now %s ms, released %s ms%n",
        rescheduled, released);
    assertThat(rescheduled).isLessThanOrEqualTo(100);
    assertThat(released).isLessThanOrEqualTo(100);
  }

  /** Milliseconds from each change to its arrival. */
  private List<Long> changed(
      String prefix, Duration delay, Function<MessageKey, ChangeOutcome> change) throws Exception {
    for (int i = 0; i < CHANGES; i++) {
      publish(prefix + i, delay);
    }
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                failing.isEmpty()
                    && store.count(MessageQuery.all().states(MessageState.HELD)) == 0);
    List<Long> late = new ArrayList<>();
    for (int i = 0; i < CHANGES; i++) {
      String id = prefix + i;
      Instant begun = Instant.now();
      assertThat(change.apply(new MessageKey(SMALL, id))).isEqualTo(ChangeOutcome.DONE);
      await().pollInterval(Duration.ofMillis(1)).until(() -> arrived.containsKey(id));
      late.add(Duration.between(begun, arrived.get(id)).toMillis());
    }
    return late;
  }

  private void publish(String id, Duration delay) throws Exception {
    DelayedMessage message = DelayedMessage.toQueue(SMALL).id(id).body(new byte[256]).delay(delay);
    assertThat(publisher.publish(message).get(30, TimeUnit.SECONDS).confirmed()).isTrue();
  }

  private List<Long> steady(String prefix, Duration length) throws Exception {
    return steady(prefix, length, 50);
  }

  /** Milliseconds from due to arrival, of so many a second, each due in 3 s. */
  private List<Long> steady(String prefix, Duration length, int rate) throws Exception {
    Map<String, Instant> due = new ConcurrentHashMap<>();
    int count = (int) (length.toSeconds() * rate);
    AtomicInteger next = new AtomicInteger();
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    try {
      timer.scheduleAtFixedRate(
          () -> {
            int number = next.getAndIncrement();
            if (number < count) {
              String id = prefix + number;
              Instant at = Instant.ofEpochMilli(Instant.now().toEpochMilli() + 3_000);
              due.put(id, at);
              publisher.publish(
                  DelayedMessage.toQueue(SMALL).id(id).body(new byte[256]).deliverAt(at));
            }
          },
          0,
          1_000_000 / rate,
          TimeUnit.MICROSECONDS);
      await()
          .atMost(length.plusSeconds(60))
          .until(() -> due.size() == count && arrived.keySet().containsAll(due.keySet()));
    } finally {
      timer.shutdownNow();
    }
    List<Long> late = new ArrayList<>();
    due.forEach((id, at) -> late.add(Duration.between(at, arrived.get(id)).toMillis()));
    return late;
  }

  private static long p99(List<Long> late) {
    Collections.sort(late);
    return late.get((int) (late.size() * 0.99));
  }
}
