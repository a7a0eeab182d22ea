// SPDX-License-Identifier: Apache-2.0
// Run it in the root of the source tree:
// java -cp modules/lab/target/pocketwatch-lab.jar modules/docs/examples/Reminder.java URI

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import io.pocketwatch.tracking.TrackedPublisher;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Map;
import org.h2.jdbcx.JdbcDataSource;

/** Tomorrow at nine by the customer's clock; then a day later; and what waits for that customer. */
public class Reminder {
  public static void main(String[] args) throws Exception {
    JdbcDataSource database = new JdbcDataSource();
    database.setURL("jdbc:h2:mem:reminders;DB_CLOSE_DELAY=-1");
    JdbcSchema.create(database);
    DelayRoutes routes =
        DelayRoutes.parse(
            "pocketwatch: { routes: { reminder: { routing-key: example.mail, tracking: full } } }",
            "Reminder.java");
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(args[0]);
    try (JdbcDelayStore store = JdbcDelayStore.builder(database).build();
        Connection connection = factory.newConnection();
        Channel channel = connection.createChannel();
        TrackedPublisher pocketwatch =
            DelayedPublisher.builder(factory).routes(routes).build(TrackedPublisher.with(store))) {
      channel.queueDeclare("example.mail", true, false, false, Map.of("x-queue-type", "quorum"));
      ZonedDateTime nine =
          ZonedDateTime.now(ZoneId.of("Asia/Shanghai")).plusDays(1).with(LocalTime.of(9, 0));
      pocketwatch
          .publish(
              DelayedMessage.toQueue("example.mail")
                  .id("reminder-7")
                  .businessKey("customer-7")
                  .deliverAt(nine.toInstant()))
          .join();
      MessageKey key = new MessageKey("reminder", "reminder-7");
      System.out.println("moved: " + store.reschedule(key, nine.plusDays(1).toInstant()));
      for (StoredMessage each : store.list(MessageQuery.all().businessKey("customer-7"))) {
        System.out.println(each.message().key() + " at " + each.message().deliverAt());
      }
      System.out.println("cancelled: " + store.cancel(key));
    }
  }
}
