// SPDX-License-Identifier: Apache-2.0
// Run it in the root of the source tree:
// java -cp modules/lab/target/pocketwatch-lab.jar modules/docs/examples/OrderTimeout.java URI

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import io.pocketwatch.tracking.TrackedPublisher;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.h2.jdbcx.JdbcDataSource;

/** Two orders are to be cancelled in three seconds; one is paid before. */
public class OrderTimeout {
  public static void main(String[] args) throws Exception {
    JdbcDataSource database = new JdbcDataSource();
    database.setURL("jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1");
    JdbcSchema.create(database);
    DelayRoutes routes =
        DelayRoutes.parse(
            "pocketwatch: { routes: { timeout: { routing-key: example.timeouts, tracking: full } }"
                + " }",
            "OrderTimeout.java");
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(args[0]);
    CountDownLatch done = new CountDownLatch(1);
    try (JdbcDelayStore store = JdbcDelayStore.builder(database).build();
        Connection connection = factory.newConnection();
        Channel channel = connection.createChannel();
        TrackedPublisher pocketwatch =
            DelayedPublisher.builder(factory).routes(routes).build(TrackedPublisher.with(store));
        DeliveryGuard guard = DeliveryGuard.of(pocketwatch, GuardOptions.defaults());
        Loader loader = new Loader(pocketwatch)) {
      loader.start();
      channel.queueDeclare(
          "example.timeouts", true, false, false, Map.of("x-queue-type", "quorum"));
      guard.consume(
          channel,
          "example.timeouts",
          delivery -> {
            System.out.println("cancelled: " + new String(delivery.body(), StandardCharsets.UTF_8));
            done.countDown();
          });
      for (String order : new String[] {"order-1", "order-2"}) {
        DelayedMessage message = DelayedMessage.toQueue("example.timeouts").id(order).body(order);
        pocketwatch.publish(message.delay(Duration.ofSeconds(3))).join();
      }
      System.out.println("paid: order-1, " + store.cancel(new MessageKey("timeout", "order-1")));
      done.await();
    }
  }
}
