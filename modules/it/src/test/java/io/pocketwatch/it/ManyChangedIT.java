// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.SchedulingStore.ManyChanged;
import io.pocketwatch.store.SchedulingStore.MessageChange;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many messages are cancelled by a filter while others are handled. Prints what it measures. */
@Tag("wide")
class ManyChangedIT {
  private static final int PENDING = Integer.getInteger("pocketwatch.many.pending", 1_000_000);
  private static final int CANCELLED = PENDING / 5;
  private static final int ROUNDS = Integer.getInteger("pocketwatch.many.rounds", 1);
  private static final Duration DELAY = Duration.ofMillis(2_500);

  private World world;
  private TestDatabase database;
  private HikariDataSource pool;
  private JdbcDelayStore store;
  private DelayedPublisher publisher;
  private String target;

  private final ConcurrentLinkedQueue<Long> lateness = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void open() throws Exception {
    world = World.of(ManyChangedIT.class);
    database = TestDatabases.postgresql();
    pool = new HikariDataSource();
    pool.setJdbcUrl(database.url());
    pool.setMaximumPoolSize(20);
    JdbcSchema.create(pool);
    store = JdbcDelayStore.builder(pool).build();
    target = world.target("many-" + UUID.randomUUID());
    publisher = world.publisher(StoreWorld.routes(world, target, Tracking.FULL), store);
  }

  @AfterEach
  void close() throws Exception {
    world.close();
    pool.close();
    database.close();
  }

  @Test
  void many_are_cancelled_while_others_are_handled_and_every_answer_is_true() throws Exception {
    Channel channel = world.channel();
    channel.basicQos(200);
    DeliveryGuard.of(publisher, GuardOptions.defaults())
        .consume(
            channel,
            target,
            delivery ->
                delivery
                    .delayed()
                    .ifPresent(each -> lateness.add(each.lateness(Instant.now()).toMillis())));
    for (int round = 1; round <= ROUNDS; round++) {
      fill(round);
      String key = "order-" + round;
      MessageQuery filter =
          MessageQuery.all()
              .businessKey(key)
              .states(MessageState.PENDING, MessageState.HELD)
              .limit(1_000);
      Instant end = Instant.now().plusSeconds(20);
      List<Long> alone = steadily(() -> Instant.now().isBefore(end));
      long began = System.nanoTime();
      CompletableFuture<ManyChanged> change =
          CompletableFuture.supplyAsync(
              () -> store.changeAll(filter, MessageChange.cancel(), "many", soFar -> true));
      CompletableFuture<Long> nanos = change.thenApply(all -> System.nanoTime() - began);
      List<Long> meanwhile = steadily(() -> !change.isDone());

      assertThat(change.join().count(ChangeOutcome.DONE)).isEqualTo(change.join().total());
      assertThat(change.join().total())
          .isEqualTo(CANCELLED)
          .isEqualTo(
              store.count(MessageQuery.all().businessKey(key).states(MessageState.CANCELLED)));
      assertThat(store.count(filter)).isZero();
      assertThat(store.count(MessageQuery.all().route("stock").states(MessageState.PENDING)))
          .isEqualTo((long) round * (PENDING - CANCELLED));
      System.out.printf(
          "round %s: %,d of %,d cancelled in %.1f s; lateness of the others in ms:"
              + " alone %s, meanwhile %s%n",
          round,
          CANCELLED,
          PENDING * round,
          nanos.join() / 1e9,
          percentiles(alone),
          percentiles(meanwhile));
    }
  }

  /** Sends a hundred messages a second while so, and waits until all were handled. */
  private List<Long> steadily(BooleanSupplier so) throws Exception {
    lateness.clear();
    List<CompletableFuture<?>> sent = new ArrayList<>();
    ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    try {
      ScheduledFuture<?> sending =
          clock.scheduleAtFixedRate(
              () ->
                  sent.add(
                      publisher.publish(
                          DelayedMessage.to(target, "key")
                              .route("tracked")
                              .body("b")
                              .delay(DELAY))),
              0,
              10,
              TimeUnit.MILLISECONDS);
      Awaitility.await().atMost(Duration.ofMinutes(10)).until(() -> !so.getAsBoolean());
      sending.cancel(false);
    } finally {
      clock.shutdown();
      clock.awaitTermination(10, TimeUnit.SECONDS);
    }
    Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> lateness.size() >= sent.size());
    return lateness.stream().sorted().toList();
  }

  private static String percentiles(List<Long> sorted) {
    return "p50 %s, p99 %s, max %s of %s"
        .formatted(
            sorted.get(sorted.size() / 2),
            sorted.get(sorted.size() * 99 / 100),
            sorted.get(sorted.size() - 1),
            sorted.size());
  }

  private void fill(int round) throws Exception {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          """
          INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties,
            body, deliver_at, first_deliver_at, next_at, tracking, state, created_at,
            updated_at)
          SELECT CASE WHEN n %% 5 = 0 THEN 'campaign' ELSE 'stock' END, 'r%1$s-' || n,
            CASE WHEN n %% 5 = 0 THEN 'order-%1$s' ELSE 'other-' || n END, '', 'q',
            '\\x0000', '\\x7b7d', 4102444800000 + n * 20, 4102444800000 + n * 20,
            4102444800000 + n * 20, 'FULL', 'PENDING',
            1, 1 FROM generate_series(1, %2$s) n
          """
              .formatted(round, PENDING));
      statement.execute("VACUUM ANALYZE pocketwatch_message");
    }
  }
}
