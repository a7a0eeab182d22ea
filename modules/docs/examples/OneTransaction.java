// SPDX-License-Identifier: Apache-2.0
// Run it in the root of the source tree:
// java -cp modules/lab/target/pocketwatch-lab.jar modules/docs/examples/OneTransaction.java URI

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import io.pocketwatch.store.jdbc.TransactionalPublisher;
import io.pocketwatch.store.jdbc.TransactionalPublisher.InTransaction;
import io.pocketwatch.tracking.TrackedPublisher;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.h2.jdbcx.JdbcDataSource;

/** Order and message commit or roll back together, and the effect commits with the settle. */
public class OneTransaction {
  public static void main(String[] args) throws Exception {
    JdbcDataSource database = new JdbcDataSource();
    database.setURL("jdbc:h2:mem:orders;DB_CLOSE_DELAY=-1");
    JdbcSchema.create(database);
    write(database.getConnection(), "CREATE TABLE orders (id VARCHAR(20), state VARCHAR(20))");
    DelayRoutes routes =
        DelayRoutes.parse(
            "pocketwatch: { routes: { timeout: { routing-key: example.orders, tracking: full } } }",
            "OneTransaction.java");
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(args[0]);
    CountDownLatch done = new CountDownLatch(1);
    try (JdbcDelayStore store = JdbcDelayStore.builder(database).build();
        com.rabbitmq.client.Connection connection = factory.newConnection();
        Channel channel = connection.createChannel();
        TrackedPublisher pocketwatch =
            DelayedPublisher.builder(factory).routes(routes).build(TrackedPublisher.with(store));
        DeliveryGuard guard = DeliveryGuard.of(pocketwatch, GuardOptions.defaults());
        Loader loader = new Loader(pocketwatch)) {
      loader.start();
      channel.queueDeclare("example.orders", true, false, false, Map.of("x-queue-type", "quorum"));
      guard.consume(
          channel,
          "example.orders",
          delivery -> {
            String order = new String(delivery.body(), StandardCharsets.UTF_8);
            try (Connection tx = database.getConnection()) {
              tx.setAutoCommit(false);
              write(tx, "UPDATE orders SET state = 'CANCELLED' WHERE id = '" + order + "'");
              delivery.settleIn(tx); // throws if another consumer has taken over
              tx.commit();
            }
            System.out.println("cancelled once: " + order);
            done.countDown();
          });
      TransactionalPublisher transactional = new TransactionalPublisher(pocketwatch, store);
      for (String order : new String[] {"rolled-back", "committed"}) {
        try (Connection tx = database.getConnection()) {
          tx.setAutoCommit(false);
          write(tx, "INSERT INTO orders VALUES ('" + order + "', 'OPEN')");
          DelayedMessage message = DelayedMessage.toQueue("example.orders").id(order).body(order);
          InTransaction timeout = transactional.publish(tx, message.delay(Duration.ofSeconds(2)));
          if (order.equals("committed")) {
            tx.commit();
            timeout.committed();
          } else {
            tx.rollback();
          }
        }
      }
      done.await();
    }
  }

  private static void write(Connection connection, String sql) throws Exception {
    try (var statement = connection.createStatement()) {
      statement.executeUpdate(sql);
    }
  }
}
