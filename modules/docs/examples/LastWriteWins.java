// SPDX-License-Identifier: Apache-2.0
// Run it in the root of the source tree:
// java -cp modules/lab/target/pocketwatch-lab.jar modules/docs/examples/LastWriteWins.java URI

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.ChangeOutcome;
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
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.h2.jdbcx.JdbcDataSource;

/** One summary, two seconds after the last of several changes. */
public class LastWriteWins {
  public static void main(String[] args) throws Exception {
    JdbcDataSource database = new JdbcDataSource();
    database.setURL("jdbc:h2:mem:baskets;DB_CLOSE_DELAY=-1");
    JdbcSchema.create(database);
    DelayRoutes routes =
        DelayRoutes.parse(
            "pocketwatch: { routes: { summary: { routing-key: example.summaries, tracking: full } }"
                + " }",
            "LastWriteWins.java");
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
          "example.summaries", true, false, false, Map.of("x-queue-type", "quorum"));
      guard.consume(
          channel,
          "example.summaries",
          delivery -> {
            System.out.println("summary sent");
            done.countDown();
          });
      MessageKey basket = new MessageKey("summary", "basket-7");
      for (int change = 0; change < 4; change++) {
        Instant soon = Instant.now().plusSeconds(2);
        ChangeOutcome moved = store.reschedule(basket, soon);
        if (moved == ChangeOutcome.UNKNOWN) {
          DelayedMessage summary = DelayedMessage.toQueue("example.summaries").id(basket.id());
          pocketwatch.publish(summary.deliverAt(soon)).join();
        }
        System.out.println("changed, the summary waits until " + soon);
        TimeUnit.SECONDS.sleep(1);
      }
      done.await();
    }
  }
}
