// SPDX-License-Identifier: Apache-2.0
// Run it in the root of the source tree:
// java -cp modules/lab/target/pocketwatch-lab.jar modules/docs/examples/Recurring.java URI

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.schedule.Schedule;
import io.pocketwatch.schedule.Schedules;
import io.pocketwatch.schedule.SchedulesRunner;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import io.pocketwatch.tracking.TrackedPublisher;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.h2.jdbcx.JdbcDataSource;

/** A message every other second, by cron. */
public class Recurring {
  public static void main(String[] args) throws Exception {
    JdbcDataSource database = new JdbcDataSource();
    database.setURL("jdbc:h2:mem:ticks;DB_CLOSE_DELAY=-1");
    JdbcSchema.create(database);
    DelayRoutes routes =
        DelayRoutes.parse(
            "pocketwatch: { routes: { tick: { routing-key: example.ticks, tracking: full } } }",
            "Recurring.java");
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(args[0]);
    CountDownLatch done = new CountDownLatch(3);
    try (JdbcDelayStore store = JdbcDelayStore.builder(database).build();
        Connection connection = factory.newConnection();
        Channel channel = connection.createChannel();
        TrackedPublisher pocketwatch =
            DelayedPublisher.builder(factory).routes(routes).build(TrackedPublisher.with(store));
        DeliveryGuard guard = DeliveryGuard.of(pocketwatch, GuardOptions.defaults());
        Loader loader = new Loader(pocketwatch)) {
      channel.queueDeclare("example.ticks", true, false, false, Map.of("x-queue-type", "quorum"));
      guard.consume(
          channel,
          "example.ticks",
          delivery -> {
            System.out.println(delivery.properties().getMessageId());
            done.countDown();
          });
      Schedules schedules = Schedules.of(pocketwatch);
      schedules.put(Schedule.named("tick").route("tick").cron("*/2 * * * * *").build(), null);
      loader.start();
      try (SchedulesRunner runner = SchedulesRunner.of(schedules)) {
        runner.start();
        done.await();
      }
    }
  }
}
