// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.process;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Delivery;
import io.pocketwatch.Headers;
import io.pocketwatch.PocketwatchEvent;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.guard.ConsumerEvent;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.guard.GuardedDelivery;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.lab.faults.account.Journal;
import io.pocketwatch.lab.faults.account.Journal.Step;
import io.pocketwatch.lab.faults.account.Lane;
import io.pocketwatch.server.config.ConfigurationFile;
import io.pocketwatch.server.store.OpenStore;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.tracking.TrackedPublisher;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Consumes every lane, and what is parked. A {@code full} lane goes through the guard, which
 * settles in the transaction of the effect. Some of its messages are put off once before, half of
 * these as after a failure. The others are consumed as by a plain consumer that has never heard of
 * us.
 */
final class LedgerConsumer implements PocketwatchListener {
  private static final int PREFETCH = 50;
  private static final int ONE_IN = 20;
  private static final Duration PUT_OFF = Duration.ofSeconds(1);
  private static final GuardOptions OPTIONS =
      GuardOptions.builder()
          .handlingLease(Duration.ofSeconds(5))
          // A handler fails here only because the database went away under it.
          .requeueFailed(true)
          .build();

  private final JdbcDelayStore store;
  private final DataSource dataSource;
  private final Journal journal;

  private LedgerConsumer(JdbcDelayStore store, DataSource dataSource, Journal journal) {
    this.store = store;
    this.dataSource = dataSource;
    this.journal = journal;
  }

  /** Consumes until it is killed. */
  static void run(Path config, Addresses broker, Path file) throws Exception {
    ConfigurationFile configuration = ConfigurationFile.load(config);
    try (OpenStore open = OpenStore.connect(configuration.requireStore());
        Journal journal = Journal.appendTo(file);
        TrackedPublisher publisher =
            broker
                .publisher()
                .routes(configuration.routes())
                .connectLater()
                .build(TrackedPublisher.with(open.store()))) {
      JdbcDelayStore store = JdbcDelayStore.builder(open.pool()).build();
      LedgerConsumer consumer = new LedgerConsumer(store, open.pool(), journal);
      try (DeliveryGuard guard =
          new DeliveryGuard(store, publisher.unwrap(HandOff.class), OPTIONS, consumer)) {
        for (Lane lane : Lane.ALL) {
          Subscription.start(
              broker,
              lane.queue(),
              lane.guarded()
                  ? (channel, lost) -> guard.consume(channel, lane.queue(), consumer::handle)
                  : (channel, lost) -> consumer.plain(channel, lane.queue(), Step.DELIVERED, lost));
        }
        String parked = configuration.routes().hold().namePrefix() + ".unroutable";
        Subscription.start(
            broker, parked, (channel, lost) -> consumer.plain(channel, parked, Step.PARKED, lost));
        new CountDownLatch(1).await();
      }
    }
  }

  private void plain(Channel channel, String queue, Step step, CountDownLatch lost)
      throws IOException {
    channel.basicQos(PREFETCH);
    channel.basicConsume(
        queue,
        false,
        (tag, delivery) -> {
          journal.note(step, System.currentTimeMillis(), id(delivery));
          channel.basicAck(delivery.getEnvelope().getDeliveryTag(), false);
        },
        tag -> lost.countDown());
  }

  private static String id(Delivery delivery) {
    return Objects.requireNonNullElse(Headers.id(delivery.getProperties()), "?");
  }

  private void handle(GuardedDelivery delivery) throws SQLException {
    if (delivery.handling().isEmpty()) {
      return; // noted as unknown, and then missing among the effects
    }
    Handling handling = delivery.handling().get();
    String id = handling.key().id();
    if (delivery.attempt() == 1 && putOff(delivery, Math.floorMod(id.hashCode(), ONE_IN))) {
      return;
    }
    long now = store.now().toEpochMilli();
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      try {
        // First, so that the unique key has nothing to do where the settling is right.
        delivery.settleIn(connection);
        Effects.add(connection, id, now);
        connection.commit();
      } catch (SQLException e) {
        if (Effects.isSecond(e)) {
          journal.note(Step.SECOND_EFFECT, now, id);
        }
        throw e;
      }
    }
  }

  private boolean putOff(GuardedDelivery delivery, int kind) {
    if (kind == 0) {
      delivery.defer(PUT_OFF);
    } else if (kind == 1) {
      delivery.defer(store.now().plus(PUT_OFF), new IllegalStateException("the first try fails"));
    }
    return kind <= 1;
  }

  @Override
  public void onEvent(PocketwatchEvent event) {
    if (event instanceof ConsumerEvent.Delivered one) {
      note(Step.DELIVERED, one.key());
    } else if (event instanceof ConsumerEvent.Skipped one) {
      note(Step.SKIPPED, one.key());
    } else if (event instanceof ConsumerEvent.Deferred one) {
      note(Step.PUT_OFF, one.key());
    } else if (event instanceof ConsumerEvent.HeldAgain heldAgain) {
      note(Step.HELD_AGAIN, heldAgain.key());
    } else if (event instanceof ConsumerEvent.Unknown one) {
      note(Step.UNKNOWN, one.key());
    }
  }

  private void note(Step step, @Nullable MessageKey key) {
    journal.note(step, System.currentTimeMillis(), key == null ? "?" : key.id());
  }
}
