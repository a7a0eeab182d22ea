// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardDecision;
import io.pocketwatch.guard.GuardListener;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.guard.GuardedDelivery;
import io.pocketwatch.server.config.ConfigurationFile;
import io.pocketwatch.server.store.OpenStore;
import io.pocketwatch.store.Begun;
import io.pocketwatch.store.Handling;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Consumes through the guard, and settles in the transaction of the effect. */
final class LedgerConsumer implements GuardListener {
  static final int CHANNELS_PER_QUEUE = 2;
  private static final int RECOVERY_MILLIS = 500;
  private static final GuardOptions OPTIONS =
      GuardOptions.defaults()
          .withHandlingLease(Duration.ofSeconds(5))
          // A handler fails here only because the database went away under it.
          .withRequeueFailed(true);

  private final JdbcDelayStore store;
  private final DataSource dataSource;
  private final Arrivals arrivals;

  private LedgerConsumer(JdbcDelayStore store, DataSource dataSource, Arrivals arrivals) {
    this.store = store;
    this.dataSource = dataSource;
    this.arrivals = arrivals;
  }

  /** Consumes until it is killed. */
  static void run(Path config, URI broker, Path file) throws Exception {
    ConfigurationFile configuration = ConfigurationFile.load(config);
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(broker);
    factory.setNetworkRecoveryInterval(RECOVERY_MILLIS);
    int channels = LedgerRoute.values().length * CHANNELS_PER_QUEUE;
    ExecutorService threads = Executors.newFixedThreadPool(channels);
    try (OpenStore open = OpenStore.connect(configuration.requireStore());
        Arrivals arrivals = Arrivals.appendTo(file);
        DelayedPublisher publisher =
            DelayedPublisher.builder(factory)
                .routes(configuration.routes())
                .store(open.store())
                .build()) {
      JdbcDelayStore store = JdbcDelayStore.builder(open.pool()).build();
      LedgerConsumer consumer = new LedgerConsumer(store, open.pool(), arrivals);
      try (DeliveryGuard guard = new DeliveryGuard(store, publisher.handOver(), OPTIONS, consumer);
          com.rabbitmq.client.Connection connection = factory.newConnection(threads, "faults")) {
        for (LedgerRoute route : LedgerRoute.values()) {
          for (int i = 0; i < CHANNELS_PER_QUEUE; i++) {
            guard.consume(connection.createChannel(), route.queue(), consumer::handle);
          }
        }
        new CountDownLatch(1).await();
      }
    }
  }

  private void handle(GuardedDelivery delivery) throws SQLException {
    if (delivery.handling().isEmpty()) {
      return; // noted as unknown, and then missing among the effects
    }
    Handling handling = delivery.handling().get();
    String id = handling.key().id();
    long now = store.now().toEpochMilli();
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      try {
        // First, so that the unique key has nothing to do where the settling is right.
        if (!store.settle(connection, handling)) {
          throw new SQLException("someone else has settled " + id);
        }
        Effects.add(connection, id, now);
        connection.commit();
      } catch (SQLException e) {
        if (Effects.isSecond(e)) {
          arrivals.note(Arrivals.Step.SECOND_EFFECT, id);
        }
        throw e;
      }
    }
    delivery.settledInTransaction();
  }

  @Override
  public void delivered(String consumer, @Nullable MessageKey key, @Nullable Duration lateness) {
    note(Arrivals.Step.DELIVERED, key);
  }

  @Override
  public void skipped(String consumer, MessageKey key, Begun.Verdict verdict) {
    note(Arrivals.Step.SKIPPED, key);
  }

  @Override
  public void heldAgain(
      String consumer, @Nullable MessageKey key, GuardDecision.Reason reason, Instant until) {
    note(Arrivals.Step.HELD_AGAIN, key);
  }

  @Override
  public void unknown(String consumer, MessageKey key) {
    note(Arrivals.Step.UNKNOWN, key);
  }

  private void note(Arrivals.Step step, @Nullable MessageKey key) {
    arrivals.note(step, key == null ? "?" : key.id());
  }
}
