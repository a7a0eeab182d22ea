// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static io.pocketwatch.config.DelayRoute.Tracking.FULL;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PocketwatchEvent;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.guard.ConsumerEvent;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import io.pocketwatch.tracking.TrackedPublisher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/**
 * What a listener at Spring's defaults takes from a queue that is full: of a tracked route beside
 * an untracked one, in one run, on PostgreSQL. {@code -Dpocketwatch.listener.messages} says how
 * many there are in each round.
 */
@Timeout(600)
@Tag("wide")
class ListenerRateIT {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.anyVersion();

  private static final int MESSAGES = Integer.getInteger("pocketwatch.listener.messages", 10_000);
  private static final int ROUNDS = 3;

  private final AtomicInteger handled = new AtomicInteger();
  private final AtomicInteger settled = new AtomicInteger();

  private final class Tracked {
    @RabbitListener(queues = "rate.tracked")
    void handle(byte[] body) {
      handled.incrementAndGet();
    }
  }

  private final class Untracked {
    @RabbitListener(queues = "rate.untracked")
    void handle(byte[] body) {
      handled.incrementAndGet();
    }
  }

  private final class Events implements PocketwatchListener {
    @Override
    public void onEvent(PocketwatchEvent event) {
      if (event instanceof ConsumerEvent.Settled) {
        settled.incrementAndGet();
      }
    }
  }

  @Test
  void a_tracked_route_takes_a_quarter_of_an_untracked_ones_rate_at_least() throws Exception {
    ConnectionFactory broker = BROKER.connectionFactory();
    DelayRoutes routes =
        DelayRoutes.builder()
            .route(DelayRoute.builder("tracked").routingKey("rate.tracked").tracking(FULL).build())
            .route(DelayRoute.builder("untracked").routingKey("rate.untracked").build())
            .build();
    try (TestDatabase database = TestDatabases.postgresql();
        HikariDataSource pool = new HikariDataSource();
        Connection connection = broker.newConnection("rate");
        Channel channel = connection.createChannel()) {
      for (String queue : List.of("rate.tracked", "rate.untracked")) {
        channel.queueDeclare(queue, true, false, false, Map.of("x-queue-type", "quorum"));
      }
      pool.setJdbcUrl(database.url());
      try (var session = pool.getConnection();
          var statement = session.createStatement()) {
        statement.execute(JdbcSchema.ddl("postgresql"));
      }
      try (JdbcDelayStore store = JdbcDelayStore.builder(pool).build();
          TrackedPublisher publisher =
              DelayedPublisher.builder(BROKER.connectionFactory())
                  .routes(routes)
                  .build(TrackedPublisher.with(store));
          Loader loader = new Loader(publisher);
          DeliveryGuard guard =
              new DeliveryGuard(
                  store, publisher.unwrap(HandOff.class), GuardOptions.defaults(), new Events())) {
        loader.start();
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round <= ROUNDS; round++) {
          double untracked = rate(publisher, guard, routes, channel, "untracked", new Untracked());
          double tracked = rate(publisher, guard, routes, channel, "tracked", new Tracked());
          System.out.printf(
              "Round %s of %s%s: untracked %,.0f/s, tracked %,.0f/s, ratio %.2f%n",
              round,
              ROUNDS,
              round == 0 ? " (warm-up)" : "",
              untracked,
              tracked,
              tracked / untracked);
          if (round > 0) {
            ratios.add(tracked / untracked);
          }
        }
        ratios.sort(null);
        assertThat(ratios.get(ROUNDS / 2)).isGreaterThan(0.25);
      }
    }
  }

  private double rate(
      TrackedPublisher publisher,
      DeliveryGuard guard,
      DelayRoutes routes,
      Channel channel,
      String route,
      Object listener)
      throws Exception {
    List<CompletableFuture<PublishReceipt>> sent = new ArrayList<>();
    for (int i = 0; i < MESSAGES; i++) {
      sent.add(
          publisher.publish(
              DelayedMessage.toQueue("rate." + route)
                  .route(route)
                  .body(new byte[128])
                  .delay(Duration.ofSeconds(3))));
    }
    for (CompletableFuture<PublishReceipt> one : sent) {
      assertThat(one.get(60, TimeUnit.SECONDS).confirmed()).isTrue();
    }
    await(() -> (int) channel.messageCount("rate." + route));
    handled.set(0);
    settled.set(0);
    CachingConnectionFactory connections = new CachingConnectionFactory(BROKER.connectionFactory());
    try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
      context.register(ListenerWorld.Rabbit.class);
      SimpleRabbitListenerContainerFactory factory = new SimpleRabbitListenerContainerFactory();
      factory.setConnectionFactory(connections);
      ListenerWorld.register(context, "rabbitListenerContainerFactory", factory);
      ListenerWorld.register(context, "connections", connections);
      ListenerWorld.register(context, "listener", listener);
      context.registerBean(
          ListenerGuardPostProcessor.class,
          () ->
              new ListenerGuardPostProcessor(
                  () -> guard, () -> publisher, () -> routes, GuardOptions::defaults));
      long begun = System.nanoTime();
      context.refresh();
      await(route.equals("tracked") ? settled::get : handled::get);
      return MESSAGES / ((System.nanoTime() - begun) / 1e9);
    } finally {
      connections.destroy();
    }
  }

  private static void await(Callable<Integer> count) {
    Awaitility.await()
        .atMost(Duration.ofMinutes(3))
        .pollInterval(Duration.ofMillis(5))
        .pollDelay(Duration.ZERO)
        .until(count, now -> now >= MESSAGES);
  }
}
