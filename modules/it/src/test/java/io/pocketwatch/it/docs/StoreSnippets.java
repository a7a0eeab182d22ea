// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.TransactionalPublisher;
import io.pocketwatch.store.jdbc.TransactionalPublisher.InTransaction;
import io.pocketwatch.tracking.TrackedPublisher;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import javax.sql.DataSource;

/** The Java of the manual that needs a store, compiled here and run by {@link StoreReadmeIT}. */
final class StoreSnippets {
  private StoreSnippets() {}

  static MessageKey scheduling(
      ConnectionFactory connectionFactory, DelayRoutes routes, DataSource dataSource) {
    DelayStore store =
        JdbcDelayStore.builder(dataSource).build(); // ./pocketwatch schema --db postgresql
    TrackedPublisher pocketwatch =
        DelayedPublisher.builder(connectionFactory)
            .routes(routes)
            .build(TrackedPublisher.with(store));
    Loader loader = new Loader(pocketwatch); // or: ./pocketwatch serve
    loader.start();

    PublishReceipt receipt =
        pocketwatch
            .publish(
                DelayedMessage.to("orders", "order.timeout")
                    .id("order-4711")
                    .businessKey("customer-7")
                    .delay(Duration.ofDays(400)))
            .join(); // CONFIRMED: the row is committed
    MessageKey key = new MessageKey(receipt.route(), receipt.id());
    pocketwatch.store().reschedule(key, Instant.now().plus(Duration.ofHours(1))); // DONE, TOO_LATE…
    pocketwatch.store().cancel(key); // DONE, BEING_HANDLED, TOO_LATE, UNKNOWN
    pocketwatch.store().list(MessageQuery.all().businessKey("customer-7"));
    loader.close();
    pocketwatch.close();
    return key;
  }

  static void inATransaction(
      TrackedPublisher pocketwatch,
      JdbcDelayStore jdbcStore,
      Connection connection,
      DelayedMessage orderTimeout)
      throws SQLException {
    TransactionalPublisher transactional = new TransactionalPublisher(pocketwatch, jdbcStore);
    connection.setAutoCommit(false);
    saveOrder(connection);
    InTransaction timeout = transactional.publish(connection, orderTimeout);
    connection.commit();
    timeout.committed(); // sends it at once; without it a loader does when the row's lease ends
  }

  static DeliveryGuard consuming(
      TrackedPublisher pocketwatch, DataSource dataSource, Channel channel) throws IOException {
    DeliveryGuard guard = DeliveryGuard.of(pocketwatch, GuardOptions.defaults());
    guard.consume(
        channel,
        "order-timeouts",
        delivery -> {
          try (Connection tx = dataSource.getConnection()) {
            tx.setAutoCommit(false);
            tx.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            cancelUnpaidOrder(tx, delivery.body());
            delivery.settleIn(tx); // throws if another consumer has taken over
            tx.commit();
          }
        });
    return guard;
  }

  private static void saveOrder(Connection connection) throws SQLException {
    write(connection, "ordered");
  }

  private static void cancelUnpaidOrder(Connection connection, byte[] body) throws SQLException {
    write(connection, "cancelled " + body.length);
  }

  private static void write(Connection connection, String effect) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO effects (effect) VALUES (?)")) {
      insert.setString(1, effect);
      insert.executeUpdate();
    }
  }
}
