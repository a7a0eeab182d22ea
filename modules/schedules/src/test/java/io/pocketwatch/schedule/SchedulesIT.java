// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.Headers;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.config.WheelOptions;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import io.pocketwatch.schedule.Schedule.CatchUp;
import io.pocketwatch.schedule.Schedule.Overlap;
import io.pocketwatch.store.ScheduleStore.StoredSchedule;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import io.pocketwatch.tracking.TrackedPublisher;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Three runners and loaders on one database and one broker, which lose the database and die. */
class SchedulesIT {
  private static final String ROUTE = "ticks";
  private static final int NODES = 3;
  private static final Logger LOG = LoggerFactory.getLogger(SchedulesIT.class);

  @RegisterExtension
  static final BrokerExtension BROKER =
      BrokerExtension.of(LocalBrokerOptions.defaults().withVersion("4.3").withPlugins(List.of()));

  @Test
  void each_occurrence_is_handled_once_and_none_early_though_nodes_die() throws Exception {
    each_occurrence_is_handled_once(6, 6, 2);
  }

  /** As long as it is asked for: {@code -Dschedules=200 -Docurrences=600 -Dkills=20}. */
  @Test
  @Tag("wide")
  void likewise_many_and_for_long() throws Exception {
    each_occurrence_is_handled_once(
        Integer.getInteger("schedules", 20),
        Integer.getInteger("occurrences", 60),
        Integer.getInteger("kills", 10));
  }

  private static void each_occurrence_is_handled_once(int schedules, int times, int kills)
      throws Exception {
    ConnectionFactory factory = BROKER.connectionFactory();
    try (Connection connection = factory.newConnection("target");
        Channel channel = connection.createChannel();
        TestDatabase database = TestDatabases.postgresql();
        Node consuming = new Node(factory, database)) {
      channel.queueDeclare(ROUTE, true, false, false, Map.of("x-queue-type", "classic"));
      channel.queuePurge(ROUTE);
      Map<String, Integer> handled = new ConcurrentHashMap<>();
      Queue<String> early = new ConcurrentLinkedQueue<>();
      try (DeliveryGuard guard =
          DeliveryGuard.of(consuming.publisher, GuardOptions.builder().build())) {
        guard.consume(
            channel,
            ROUTE,
            delivery -> {
              Map<String, Object> headers = delivery.properties().getHeaders();
              Instant occurrence = Instant.parse(headers.get(Headers.OCCURRENCE).toString());
              String id = headers.get(Headers.SCHEDULE) + "@" + occurrence;
              handled.merge(id, 1, Integer::sum);
              if (consuming.store.now().isBefore(occurrence)) {
                early.add(id);
              }
            });
        Deque<Node> nodes = new ArrayDeque<>();
        for (int i = 0; i < NODES; i++) {
          nodes.add(new Node(factory, database).start());
        }
        List<StoredSchedule> put =
            IntStream.range(0, schedules)
                .mapToObj(i -> consuming.schedules.put(everySecond("tick-" + i, times), "test"))
                .map(ScheduleView::stored)
                .toList();

        Random random = new Random(1);
        for (int kill = 1; kill <= kills; kill++) {
          int after = schedules * times * kill / (kills + 1);
          await().atMost(Duration.ofMinutes(5)).until(() -> handled.size() >= after);
          Node dying = nodes.remove();
          dying.kill(random.nextBoolean());
          nodes.add(new Node(factory, database).start());
        }
        await()
            .atMost(Duration.ofMinutes(5))
            .until(() -> handled.size() >= schedules * times && ended(consuming, put));

        assertThat(handled).hasSize(schedules * times);
        assertThat(handled.values()).containsOnly(1);
        assertThat(early).isEmpty();
        for (StoredSchedule each : put) {
          StoredSchedule now = consuming.store.schedule(each.name()).orElseThrow();
          assertThat(now.fired()).isEqualTo(times);
          assertThat(now.missed() + now.skipped()).isZero();
          for (int i = 0; i < times; i++) {
            assertThat(handled).containsKey(each.name() + "@" + each.nextAt().plusSeconds(i));
          }
        }
        for (Node each : nodes) {
          each.close();
        }
      }
    }
  }

  @Tag("ci")
  @Test
  void each_instant_counts_once_though_definitions_change_all_the_time() throws Exception {
    each_instant_counts_once(Duration.ofSeconds(15), 2, Duration.ZERO);
  }

  /** With a time in which nobody fires, longer than what is on time. */
  @Test
  @Tag("wide")
  void likewise_for_a_minute_and_more() throws Exception {
    each_instant_counts_once(Duration.ofSeconds(75), 12, Duration.ofSeconds(14));
  }

  private static void each_instant_counts_once(Duration length, int kills, Duration nobody)
      throws Exception {
    ConnectionFactory factory = BROKER.connectionFactory();
    try (Connection connection = factory.newConnection("target");
        Channel channel = connection.createChannel();
        TestDatabase database = TestDatabases.postgresql();
        Node editing = new Node(factory, database)) {
      channel.queueDeclare(ROUTE, true, false, false, Map.of("x-queue-type", "classic"));
      channel.queuePurge(ROUTE);
      Map<String, Integer> handled = new ConcurrentHashMap<>();
      try (DeliveryGuard guard =
          DeliveryGuard.of(editing.publisher, GuardOptions.builder().build())) {
        guard.consume(
            channel,
            ROUTE,
            delivery -> {
              Map<String, Object> headers = delivery.properties().getHeaders();
              String id = headers.get(Headers.SCHEDULE) + "@" + headers.get(Headers.OCCURRENCE);
              handled.merge(id, 1, Integer::sum);
            });
        Deque<Node> nodes = new ArrayDeque<>();
        for (int i = 0; i < NODES; i++) {
          nodes.add(new Node(factory, database).start());
        }
        Instant begin = editing.store.now();
        Instant end = begin.truncatedTo(ChronoUnit.SECONDS).plus(length);
        List<StoredSchedule> put =
            IntStream.range(0, 12)
                .mapToObj(i -> editing.schedules.put(edited(i, 0, end), "test"))
                .map(ScheduleView::stored)
                .toList();
        Duration everyKill = length.minus(nobody).dividedBy(kills + 1L);
        Instant nextKill = begin.plus(everyKill);
        int killed = 0;
        for (int edit = 1; editing.store.now().isBefore(end.minusSeconds(2)); edit++) {
          int number = edit;
          IntStream.range(0, 12)
              .forEach(i -> editing.schedules.put(edited(i, number, end), "test"));
          if (killed < kills && !editing.store.now().isBefore(nextKill)) {
            boolean all = killed == kills / 2 && !nobody.isZero();
            for (int i = all ? NODES : 1; i > 0; i--) {
              nodes.remove().kill(killed % 2 == 0);
            }
            if (all) {
              awaitInstant(editing.store.now().plus(nobody));
            }
            while (nodes.size() < NODES) {
              nodes.add(new Node(factory, database).start());
            }
            killed++;
            nextKill = nextKill.plus(all ? everyKill.plus(nobody) : everyKill);
          }
          awaitInstant(editing.store.now().plusMillis(700));
        }
        await()
            .atMost(Duration.ofMinutes(3))
            .until(
                () ->
                    ended(editing, put)
                        && handled.size()
                            >= put.stream().mapToLong(each -> fired(editing, each)).sum());

        long missed = 0;
        long skipped = 0;
        for (int i = 0; i < put.size(); i++) {
          StoredSchedule now = editing.store.schedule(put.get(i).name()).orElseThrow();
          List<String> all =
              edited(i, 0, end).recurrence().next(put.get(i).createdAt(), 10_000).stream()
                  .map(each -> now.name() + "@" + each.at())
                  .toList();
          Set<String> fired = new TreeSet<>(handled.keySet());
          fired.removeIf(id -> !id.startsWith(now.name() + "@"));
          assertThat(all).as(now.toString()).containsAll(fired);
          assertThat(now.fired()).as(now.toString()).isEqualTo(fired.size());
          assertThat(now.fired() + now.missed() + now.skipped())
              .as(now.toString())
              .isEqualTo(all.size());
          missed += now.missed();
          skipped += now.skipped();
        }
        assertThat(handled.values()).containsOnly(1);
        LOG.info(
            "{} schedules, {} versions each, {} kills: {} fired, {} missed, {} skipped",
            put.size(),
            editing.store.schedule(put.get(0).name()).orElseThrow().version(),
            killed,
            handled.size(),
            missed,
            skipped);
        for (Node each : nodes) {
          each.close();
        }
      }
    }
  }

  private static void awaitInstant(Instant instant) {
    await()
        .atMost(Duration.ofMinutes(1))
        .pollInterval(Duration.ofMillis(20))
        .until(() -> !Instant.now().isBefore(instant));
  }

  private static long fired(Node node, StoredSchedule schedule) {
    return node.store.schedule(schedule.name()).orElseThrow().fired();
  }

  /** Each way to overlap and to catch up, each second and each two. */
  private static Schedule edited(int number, int edit, Instant end) {
    return Schedule.named("edited-" + number)
        .route(ROUTE)
        .every(Duration.ofSeconds(1 + number / 6))
        .overlap(Overlap.values()[number % 2])
        .catchUp(CatchUp.values()[number % 3])
        .ends(LocalDateTime.ofInstant(end, ZoneOffset.UTC))
        .body("edit " + edit)
        .build();
  }

  private static boolean ended(Node node, List<StoredSchedule> schedules) {
    return schedules.stream()
        .allMatch(each -> node.schedules.find(each.name()).orElseThrow().ended());
  }

  private static Schedule everySecond(String name, int times) {
    return Schedule.named(name)
        .route(ROUTE)
        .every(Duration.ofSeconds(1))
        .times(times)
        .catchUp(CatchUp.ALL)
        .body("tick")
        .build();
  }

  /** What one process has. */
  private static final class Node implements AutoCloseable {
    private final HikariDataSource pool;
    final JdbcDelayStore store;
    final TrackedPublisher publisher;
    final Schedules schedules;
    private final Loader loader;
    private final SchedulesRunner runner;

    Node(ConnectionFactory factory, TestDatabase database) {
      HikariConfig config = new HikariConfig();
      config.setJdbcUrl(database.url());
      config.setMaximumPoolSize(8);
      pool = new HikariDataSource(config);
      JdbcSchema.create(pool);
      store = JdbcDelayStore.builder(pool).build();
      publisher =
          DelayedPublisher.builder(factory).routes(routes()).build(TrackedPublisher.with(store));
      schedules = Schedules.of(publisher);
      loader = new Loader(publisher);
      runner = SchedulesRunner.of(schedules);
    }

    private static DelayRoutes routes() {
      return DelayRoutes.builder()
          .route(DelayRoute.builder(ROUTE).routingKey(ROUTE).tracking(Tracking.FULL).build())
          .hold(
              HoldOptions.builder()
                  .wheel(
                      WheelOptions.builder()
                          .maxDelay(Duration.ofSeconds(90))
                          .hands(
                              List.of(
                                  Duration.ofSeconds(10),
                                  Duration.ofSeconds(1),
                                  Duration.ofMillis(100)))
                          .build())
                  .build())
          .loader(
              LoaderOptions.builder()
                  .every(Duration.ofMinutes(1))
                  .sweep(Duration.ofMillis(500))
                  .lease(Duration.ofSeconds(5))
                  .build())
          .build();
    }

    Node start() {
      loader.start();
      runner.start();
      return this;
    }

    /** In the middle of whatever it does: its database is gone, and perhaps its broker first. */
    void kill(boolean brokerFirst) {
      if (brokerFirst) {
        publisher.close();
      }
      pool.close();
      close();
    }

    @Override
    public void close() {
      runner.close();
      loader.close();
      publisher.close();
      store.close();
      pool.close();
    }
  }
}
