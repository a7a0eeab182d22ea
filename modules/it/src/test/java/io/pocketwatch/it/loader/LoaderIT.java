// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.loader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.handoff.HandOff.Prepared;
import io.pocketwatch.loader.LoadReport;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.loader.LoaderPresence;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.OverviewStore.Rollup;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoreEvent;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.Handlings;
import io.pocketwatch.testkit.store.TestDatabases;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** One loader, and what may get in its way. */
@Execution(ExecutionMode.CONCURRENT)
class LoaderIT {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

  @Test
  void loads_up_to_an_instant_and_shows_its_progress() throws Exception {
    try (World world = world(Tracking.NONE)) {
      Instant now = world.store.now();
      world.insert(250, now.minus(Duration.ofDays(3)));
      world.insert(List.of(world.row("later", now.plusSeconds(3_600), new byte[1])));
      List<Integer> batches = new CopyOnWriteArrayList<>();
      Map<String, Integer> arrived = world.arrivals();

      LoadReport report =
          world
              .loader(
                  event -> {
                    if (event instanceof StoreEvent.Loaded batch) {
                      batches.add(batch.messages());
                    }
                  })
              .runUntil(now);

      assertThat(report.complete()).as("%s", report).isTrue();
      assertThat(report.loaded()).containsExactly(Map.entry(world.route, 250L));
      assertThat(batches).hasSizeGreaterThan(1);
      assertThat(batches.stream().mapToInt(Integer::intValue).sum()).isEqualTo(250);
      await().until(() -> arrived.size() == 250);
      assertThat(world.store.list(MessageQuery.all()))
          .singleElement()
          .matches(row -> row.key().id().equals("later"));
    }
  }

  @Test
  void what_is_moved_without_a_publisher_does_not_wait_for_the_sweep() throws Exception {
    try (World world =
        World.of(
            BROKER.connectionFactory(),
            TestDatabases.h2(),
            Tracking.FULL,
            options -> options.toBuilder().sweep(Duration.ofMinutes(10)).build())) {
      Map<String, Integer> arrived = world.arrivals();
      List<ScheduledMessage> rows = world.insert(1, world.store.now().plus(Duration.ofDays(3)));
      CountDownLatch swept = new CountDownLatch(1);
      world
          .loader(
              event -> {
                if (event instanceof StoreEvent.Swept) {
                  swept.countDown();
                }
              })
          .start();
      assertThat(swept.await(20, TimeUnit.SECONDS)).isTrue();

      world.store.reschedule(rows.get(0).key(), world.store.now());

      await().atMost(Duration.ofSeconds(20)).until(() -> arrived.containsKey("m-0"));
    }
  }

  @Test
  void a_row_that_fails_as_nobody_foresaw_is_parked_and_its_neighbours_go_on() throws Exception {
    try (World world =
        World.of(
            BROKER.connectionFactory(),
            TestDatabases.h2(),
            Tracking.FULL,
            options ->
                options.toBuilder()
                    .grace(Duration.ofSeconds(1))
                    .maxSilence(Duration.ofSeconds(1))
                    .targetPatience(Duration.ofMinutes(5))
                    .build())) {
      Map<String, Integer> arrived = world.arrivals();
      Instant now = world.store.now();
      ScheduledMessage sound = world.row("sound", now, new byte[1]);
      MessageKey nowhere = new MessageKey("a route that is gone", "nowhere");
      world.insert(
          List.of(
              new ScheduledMessage(
                  nowhere, null, "", "", sound.properties(), sound.body(), now, Tracking.FULL),
              sound));
      world.loader().start();

      await().atMost(Duration.ofSeconds(20)).until(() -> arrived.containsKey("sound"));
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> world.store.find(nowhere).orElseThrow().state() == MessageState.PARKED);
      assertThat(world.store.find(nowhere).orElseThrow().reason()).contains("routing-key");
    }
  }

  @Test
  void what_the_wheel_cannot_hold_yet_stays_stored() throws Exception {
    try (World world = world(Tracking.HANDOFF)) {
      Instant now = world.store.now();
      Duration reach = world.routes.hold().wheel().maxDelay();
      world.insert(
          List.of(
              world.row("near", now.plus(reach).minusSeconds(30), new byte[1]),
              world.row("far", now.plus(reach).plusSeconds(30), new byte[1])));

      LoadReport report = world.loader().runUntil(now.plus(reach.multipliedBy(9)));

      assertThat(report.complete()).as("%s", report).isTrue();
      assertThat(state(world, "near")).isEqualTo(MessageState.HELD);
      assertThat(state(world, "far")).isEqualTo(MessageState.PENDING);
    }
  }

  @Test
  void a_missing_target_is_waited_for() throws Exception {
    try (World world =
        World.withoutTarget(
            BROKER.connectionFactory(), TestDatabases.h2(), Tracking.HANDOFF, options -> options)) {
      CountDownLatch missing = new CountDownLatch(1);
      world.insert(1, world.store.now());
      world
          .loader(
              event -> {
                if (event instanceof StoreEvent.TargetMissing) {
                  missing.countDown();
                }
              })
          .start();

      assertThat(missing.await(10, TimeUnit.SECONDS)).isTrue();
      world.target();
      Map<String, Integer> arrived = world.arrivals();
      await().atMost(Duration.ofSeconds(20)).until(() -> arrived.containsKey("m-0"));
    }
  }

  @Test
  void and_parked_when_patience_ends() throws Exception {
    try (World world =
        World.withoutTarget(
            BROKER.connectionFactory(),
            TestDatabases.h2(),
            Tracking.HANDOFF,
            options ->
                options.toBuilder()
                    .grace(Duration.ofSeconds(1))
                    .maxSilence(Duration.ofSeconds(1))
                    .targetPatience(Duration.ofSeconds(2))
                    .build())) {
      world.insert(1, world.store.now());
      world.loader().start();

      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> state(world, "m-0") == MessageState.PARKED);
      assertThat(world.store.find(world.key("m-0")).orElseThrow().reason()).contains(world.route);
    }
  }

  @Test
  void what_one_queue_of_its_target_refuses_is_parked_too_when_patience_ends() throws Exception {
    try (World world =
            World.of(
                BROKER.connectionFactory(),
                TestDatabases.h2(),
                Tracking.HANDOFF,
                options ->
                    options.toBuilder()
                        .grace(Duration.ofSeconds(1))
                        .maxSilence(Duration.ofSeconds(1))
                        .targetPatience(Duration.ofSeconds(2))
                        .build());
        Connection connection = BROKER.connectionFactory().newConnection("full");
        Channel channel = connection.createChannel()) {
      Map<String, Object> one = Map.of("x-max-length", 1, "x-overflow", "reject-publish");
      channel.queueDeclare("full", false, true, false, one); // gone with its connection
      channel.basicPublish("", "full", null, new byte[1]);
      channel.queueBind("full", world.route, "key");
      world.insert(1, world.store.now());
      world.loader().start();

      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> state(world, "m-0") == MessageState.PARKED);
      assertThat(world.store.find(world.key("m-0")).orElseThrow().reason()).isNotEmpty();
      assertThat(world.waitingInTheTarget()).as("a copy with each try").isBetween(2L, 10L);
    }
  }

  /** The guard skips the other queues' copies, so it need not be given up. */
  @Tag("ci")
  @Test
  void with_tracking_full_it_is_tried_until_that_queue_takes_it() throws Exception {
    try (World world =
            World.of(
                BROKER.connectionFactory(),
                TestDatabases.h2(),
                Tracking.FULL,
                options ->
                    options.toBuilder()
                        .grace(Duration.ofHours(1))
                        .maxSilence(Duration.ofHours(1))
                        .targetPatience(Duration.ofSeconds(1))
                        .build());
        Connection connection = BROKER.connectionFactory().newConnection("full");
        Channel channel = connection.createChannel()) {
      Map<String, Object> one = Map.of("x-max-length", 1, "x-overflow", "reject-publish");
      channel.queueDeclare("full-tracked", false, true, false, one); // gone with its connection
      channel.basicPublish("", "full-tracked", null, new byte[1]);
      channel.queueBind("full-tracked", world.route, "key");
      world.insert(1, world.store.now());
      world.loader().start();
      await("longer than the patience")
          .atMost(Duration.ofSeconds(20))
          .until(() -> world.store.find(world.key("m-0")).orElseThrow().attempts() >= 3);
      assertThat(state(world, "m-0")).isEqualTo(MessageState.PENDING);

      channel.queuePurge("full-tracked");

      await().atMost(Duration.ofSeconds(20)).until(() -> state(world, "m-0") == MessageState.HELD);
    }
  }

  @Test
  void what_comes_in_during_a_long_run_does_not_wait_for_its_end() throws Exception {
    try (World world =
        World.of(
            BROKER.connectionFactory(),
            TestDatabases.h2(),
            Tracking.HANDOFF,
            options -> options.toBuilder().batch(20).rate(100).build())) {
      world.insert(2_000, world.store.now());
      Map<String, Integer> arrived = world.arrivals();
      world.loader().start();
      await().until(() -> !arrived.isEmpty());

      world.insert(
          List.of(ofAnotherRoute(world.row("late-comer", world.store.now(), new byte[1]))));

      await().atMost(Duration.ofSeconds(15)).until(() -> arrived.containsKey("late-comer"));
      MessageQuery pending = MessageQuery.all().route(world.route).states(MessageState.PENDING);
      assertThat(world.store.count(pending)).isPositive();
    }
  }

  private static ScheduledMessage ofAnotherRoute(ScheduledMessage row) {
    return new ScheduledMessage(
        new MessageKey("another", row.key().id()),
        null,
        row.exchange(),
        row.routingKey(),
        row.properties(),
        row.body(),
        row.deliverAt(),
        row.tracking());
  }

  @Test
  void what_is_committed_late_is_left_to_the_loaders() throws Exception {
    try (World world = world(Tracking.HANDOFF)) {
      Map<String, Integer> arrived = world.arrivals();
      HandOff handOff = world.publisher.unwrap(HandOff.class);
      Prepared prepared = handOff.prepare(DelayedMessage.to(world.route, "key").id("slow"));
      Lease lease = Objects.requireNonNull(prepared.lease());
      world.store.insert(List.of(prepared.row()), lease);
      long aLongTransaction = lease.length().toNanos() * 2 / 3;

      handOff.committed(
          new Prepared(prepared.row(), lease, prepared.nanoTime() - aLongTransaction));

      Lease loader = new Lease("loader", Duration.ofMinutes(1));
      ClaimRequest request = new ClaimRequest(world.route, Instant.now(), 10, 1 << 20, loader);
      await().until(() -> !world.store.claim(request).isEmpty());
      assertThat(arrived).isEmpty();
    }
  }

  @Test
  void closed_in_the_middle_of_a_batch_it_gives_back_its_claims() throws Exception {
    try (World world =
        World.of(
            BROKER.connectionFactory(),
            TestDatabases.h2(),
            Tracking.HANDOFF,
            options -> options.toBuilder().batch(50).build())) {
      world.insert(5_000, world.store.now());
      CountDownLatch loading = new CountDownLatch(1);
      Loader loader =
          world.loader(
              event -> {
                if (event instanceof StoreEvent.Loaded) {
                  loading.countDown();
                }
              });
      loader.start();
      assertThat(loading.await(10, TimeUnit.SECONDS)).isTrue();
      loader.close();

      long pending = world.store.count(MessageQuery.all().states(MessageState.PENDING));
      assertThat(pending).as("closed before it was through").isPositive();
      assertThat(everything(world)).as("claimable at once").hasSize((int) pending);
      assertThat(world.waitingInTheTarget()).isEqualTo(5_000 - pending);
      assertThatThrownBy(() -> loader.runOnce()).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void a_stopped_consumer_is_sent_nothing_again() throws Exception {
    try (World world = fullyTracked()) {
      world.insert(100, world.store.now());
      Loader loader = world.loader();
      loader.start();

      await().atMost(Duration.ofSeconds(20)).until(() -> loader.state().silentRoutes().size() == 1);
      await()
          .during(Duration.ofSeconds(3))
          .atMost(Duration.ofSeconds(10))
          .until(() -> world.waitingInTheTarget() == 100);
      assertThat(loader.state().warning()).isTrue();
    }
  }

  @Test
  void what_was_overtaken_is_sent_again_but_not_what_was_begun() throws Exception {
    try (World world = fullyTracked()) {
      Instant now = world.store.now();
      world.insert(100, now);
      world.insert(List.of(world.row("last", now.plusMillis(10), new byte[1])));
      Map<String, Integer> arrived = world.arrivals();
      Map<String, Integer> recovered = new ConcurrentHashMap<>();
      Loader loader =
          world.loader(
              event -> {
                if (event instanceof StoreEvent.Recovered one) {
                  recovered.merge(one.route(), one.messages(), Integer::sum);
                }
              });
      loader.start();
      await().until(() -> arrived.size() == 101);
      begin(world, "m-7");
      Handlings.Answer last = begin(world, "last");
      assertThat(Handlings.of(world.store).settle(last.handling())).isTrue();

      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> arrived.values().stream().filter(count -> count == 2).count() == 99);
      await()
          .during(Duration.ofSeconds(3))
          .atMost(Duration.ofSeconds(10))
          .until(() -> arrived.values().stream().noneMatch(count -> count > 2));
      assertThat(arrived).containsEntry("m-7", 1).containsEntry("last", 1);
      assertThat(recovered).containsEntry(world.route, 99);
    }
  }

  @Test
  void what_has_ended_is_counted_before_it_is_deleted() throws Exception {
    try (World world =
        World.of(
            BROKER.connectionFactory(),
            TestDatabases.h2(),
            Tracking.FULL,
            options ->
                options.toBuilder()
                    .grace(Duration.ofSeconds(1))
                    .maxSilence(Duration.ofSeconds(1))
                    .retention(Duration.ofSeconds(1))
                    .build())) {
      MessageKey first = new MessageKey(world.route, "m-0");
      MessageKey second = new MessageKey(world.route, "m-1");
      world.insert(2, world.store.now().plus(Duration.ofDays(3)));
      world.store.cancel(first);
      try (var connection = world.store.dataSource().getConnection();
          var statement = connection.createStatement()) {
        statement.execute("UPDATE pocketwatch_rollup_end SET ends_at = ends_at - 1200000");
        statement.execute("UPDATE pocketwatch_message SET finished_at = finished_at - 600000");
      }
      world.store.cancel(second);
      world.loader().start();

      await().atMost(Duration.ofSeconds(30)).until(() -> world.store.find(first).isEmpty());
      assertThat(world.store.find(second)).as("ended in a minute to be counted").isPresent();
      Instant now = world.store.now();
      Instant from = Instant.ofEpochSecond(now.getEpochSecond() / 900 * 900 - 3_600);
      assertThat(world.store.rollups(from, now, Duration.ofDays(1), Set.of()).steps())
          .extracting(Rollup::cancelled)
          .containsExactly(1L);
    }
  }

  /** Its consumer begins it, and then its queue is deleted and its process dies. */
  @Test
  void what_was_begun_and_abandoned_comes_again() throws Exception {
    try (World world = fullyTracked()) {
      world.insert(1, world.store.now());
      AtomicInteger abandoned = new AtomicInteger();
      world
          .loader(
              event -> {
                if (event instanceof StoreEvent.Abandoned one) {
                  abandoned.addAndGet(one.messages());
                }
              })
          .start();
      await().atMost(Duration.ofSeconds(20)).until(() -> world.waitingInTheTarget() == 1);
      Handlings.of(world.store).begin(world.key("m-0"), 1, world.route, Duration.ofSeconds(1));
      world.target(); // purges it

      Map<String, Integer> arrived = world.arrivals();
      await().atMost(Duration.ofSeconds(20)).until(() -> arrived.containsKey("m-0"));
      assertThat(abandoned).hasValue(1);
      assertThat(Handlings.of(world.store).settle(begin(world, "m-0").handling())).isTrue();
      assertThat(state(world, "m-0")).isEqualTo(MessageState.SETTLED);
    }
  }

  /** What the queue has lost is known by what comes after it. */
  @Test
  void what_a_wiped_queue_had_comes_again() throws Exception {
    try (World world = fullyTracked()) {
      world.insert(20, world.store.now());
      world.loader().start();
      await().atMost(Duration.ofSeconds(20)).until(() -> world.waitingInTheTarget() == 20);
      world.target(); // purges it
      Map<String, Integer> arrived = world.arrivals();
      world.insert(List.of(world.row("last", world.store.now(), new byte[1])));
      await().atMost(Duration.ofSeconds(20)).until(() -> arrived.containsKey("last"));
      assertThat(Handlings.of(world.store).settle(begin(world, "last").handling())).isTrue();

      await().atMost(Duration.ofSeconds(30)).until(() -> arrived.size() == 21);
    }
  }

  @Test
  void what_its_consumer_puts_off_comes_to_its_queue_alone_and_then_only() throws Exception {
    try (World world = fullyTracked();
        Connection connection = BROKER.connectionFactory().newConnection("another queue");
        Channel channel = connection.createChannel()) {
      world.insert(1, world.store.now());
      world.loader().start();
      await().atMost(Duration.ofSeconds(20)).until(() -> world.waitingInTheTarget() == 1);
      world.target(); // purges it
      channel.queueDeclare("bystander", false, true, false, Map.of()); // gone with its connection
      channel.queueBind("bystander", world.route, "key");
      Instant next = world.store.now().plusSeconds(3);
      assertThat(
              Handlings.of(world.store).postpone(begin(world, "m-0").handling(), next, "not now"))
          .isTrue();

      Map<String, Integer> arrived = world.arrivals();
      await().atMost(Duration.ofSeconds(20)).until(() -> arrived.containsKey("m-0"));
      assertThat(world.store.now()).isAfterOrEqualTo(next);
      assertThat(channel.messageCount("bystander")).isZero();
      assertThat(begin(world, "m-0").answer().attempts().postponed()).isEqualTo(1);
    }
  }

  @Test
  void shows_signs_of_life() throws Exception {
    try (World world = world(Tracking.HANDOFF)) {
      assertThat(LoaderPresence.of(world.store).anybody()).isFalse();
      Loader loader = world.loader();
      loader.start();

      await().until(() -> LoaderPresence.of(world.store).anybody());
      await().until(() -> loader.state().horizon() != null);
      assertThat(loader.state().running()).isTrue();
      assertThat(loader.state().nextRun()).isAfter(world.store.now());
      assertThat(loader.state().warning()).isFalse();
    }
  }

  private static World world(Tracking tracking) throws Exception {
    return World.of(
        BROKER.connectionFactory(),
        TestDatabases.h2(),
        tracking,
        options -> options.toBuilder().batch(100).build());
  }

  /** Two seconds of grace, and probes only after a day. */
  private static World fullyTracked() throws Exception {
    return World.of(
        BROKER.connectionFactory(),
        TestDatabases.h2(),
        Tracking.FULL,
        options ->
            options.toBuilder()
                .grace(Duration.ofSeconds(2))
                .maxSilence(Duration.ofDays(1))
                .targetPatience(Duration.ofMinutes(1))
                .build());
  }

  private static Handlings.Answer begin(World world, String id) {
    return Handlings.of(world.store).begin(world.key(id), 1, world.route, Duration.ofMinutes(1));
  }

  private static MessageState state(World world, String id) {
    return world.store.find(world.key(id)).orElseThrow().state();
  }

  private static List<Claim> everything(World world) {
    return world.store.claim(
        new ClaimRequest(
            world.route,
            world.store.now(),
            10_000,
            1L << 30,
            new Lease("test", Duration.ofMinutes(1))));
  }
}
