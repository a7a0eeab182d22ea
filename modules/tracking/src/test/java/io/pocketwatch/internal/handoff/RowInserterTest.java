// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.PublisherOptions;
import io.pocketwatch.internal.base.CallbackThread;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.plan.DelayPlanner;
import io.pocketwatch.internal.rows.StoreRule;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SchedulingStore.InsertOutcome;
import io.pocketwatch.store.StoreException.RowLockedException;
import io.pocketwatch.store.StoreException.StoreUnchangedException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of the rows of one batch, with a store that takes what the test says. */
class RowInserterTest {
  private static final Instant NOW = Instant.parse("2026-03-01T09:00:00Z");
  private static final int THREADS = 2;
  private static final int MANY = 100;

  private final DelayRoutes routes =
      DelayRoutes.builder()
          .route(DelayRoute.builder("work").exchange("work").tracking(Tracking.FULL).build())
          .publisher(PublisherOptions.builder().confirmTimeout(Duration.ofMinutes(5)).build())
          .build();
  private final DelayPlanner planner =
      new DelayPlanner(routes, new BrokerCapabilities("4.3.6", false, true, 0, "guest"));
  private final CallbackThread callbacks = new CallbackThread();
  private final DefaultHandOff handOff =
      new DefaultHandOff(
          store(),
          new StoreRule(routes, () -> planner, () -> NOW),
          new DefaultHandOff.Broker(submission -> new CompletableFuture<>(), () -> true),
          PocketwatchListener.NONE,
          Scheduler.SYSTEM);
  private final RowInserter inserter =
      new RowInserter(
          store(),
          new OwnBroker(store()),
          new InsertRateLimits(routes),
          handOff,
          callbacks,
          Scheduler.SYSTEM);

  /** What the store was asked for, in order, since it takes anything. */
  private final List<List<String>> calls = new CopyOnWriteArrayList<>();

  private final Semaphore busy = new Semaphore(0);
  private final CountDownLatch begin = new CountDownLatch(1);
  private volatile Set<String> refused = Set.of();
  private volatile Set<String> locked = Set.of();
  private volatile boolean away;

  @AfterEach
  void close() {
    begin.countDown();
    inserter.close(Duration.ofSeconds(5));
    handOff.stopTaking(Duration.ofSeconds(5));
    handOff.close();
    callbacks.close();
  }

  @Test
  void one_that_the_store_refuses_keeps_no_neighbour_from_it() throws Exception {
    refused = Set.of("m37");

    Map<String, PublishOutcome> ends = insertTogether(MANY);

    assertThat(ends.remove("m37")).isEqualTo(PublishOutcome.REJECTED);
    assertThat(ends.values()).hasSize(MANY - 1).containsOnly(PublishOutcome.CONFIRMED);
    assertThat(calls).as("halved, not one by one").hasSizeLessThan(MANY / 2);
  }

  @Test
  void the_first_or_the_last_one_may_be_refused() throws Exception {
    refused = Set.of("m0");
    assertThat(insertTogether(2))
        .isEqualTo(Map.of("m0", PublishOutcome.REJECTED, "m1", PublishOutcome.CONFIRMED));
  }

  @Test
  void a_store_that_is_away_is_not_asked_for_each() throws Exception {
    away = true;

    assertThat(insertTogether(MANY).values()).hasSize(MANY).containsOnly(PublishOutcome.REJECTED);

    assertThat(calls).hasSize(3);
  }

  /** Each waits for up to ten seconds. */
  @Test
  void those_that_somebody_has_locked_are_tried_when_all_others_are_through() throws Exception {
    locked = Set.of("m1", "m5");

    Map<String, PublishOutcome> ends = insertTogether(8);

    assertThat(ends.remove("m1")).isEqualTo(PublishOutcome.REJECTED);
    assertThat(ends.remove("m5")).isEqualTo(PublishOutcome.REJECTED);
    assertThat(ends.values()).hasSize(6).containsOnly(PublishOutcome.CONFIRMED);
    assertThat(calls.subList(calls.size() - 4, calls.size()))
        .containsExactly(List.of("m0"), List.of("m1"), List.of("m4"), List.of("m5"));
  }

  @Test
  void what_comes_after_the_close_was_not_stored_and_is_told_so() throws Exception {
    inserter.close(Duration.ofSeconds(5));

    PublishReceipt receipt = publish("late").get(10, TimeUnit.SECONDS);

    assertThat(receipt.outcome()).isEqualTo(PublishOutcome.REJECTED);
    assertThat(receipt.cause()).isEqualTo(PublishReceipt.Cause.PUBLISHER_CLOSED);
  }

  /** With both threads busy until all wait, so that they make one batch. */
  private Map<String, PublishOutcome> insertTogether(int count) throws Exception {
    for (int i = 0; i < THREADS; i++) {
      publish("before-" + i);
      assertThat(busy.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
    }
    List<CompletableFuture<PublishReceipt>> futures =
        IntStream.range(0, count).mapToObj(i -> publish("m" + i)).toList();
    begin.countDown();
    Map<String, PublishOutcome> ends = new TreeMap<>();
    for (CompletableFuture<PublishReceipt> each : futures) {
      PublishReceipt receipt = each.get(10, TimeUnit.SECONDS);
      ends.put(receipt.id(), receipt.outcome());
    }
    return ends;
  }

  private CompletableFuture<PublishReceipt> publish(String id) {
    DelayedMessage message =
        DelayedMessage.to("work", "key").id(id).body("{}").deliverAt(NOW.plusSeconds(3_600));
    return inserter.publish(planner.accept(message, NOW), "it is tracked");
  }

  private DelayStore store() {
    return (DelayStore)
        Proxy.newProxyInstance(
            DelayStore.class.getClassLoader(),
            new Class<?>[] {DelayStore.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "insert" -> insert((List<?>) arguments[0]);
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private List<InsertOutcome> insert(List<?> rows) throws InterruptedException {
    List<String> ids = rows.stream().map(row -> ((ScheduledMessage) row).key().id()).toList();
    if (ids.get(0).startsWith("before")) {
      busy.release();
      begin.await();
    } else {
      calls.add(ids);
      if (ids.stream().anyMatch(locked::contains)) {
        throw new RowLockedException("locked", new SQLException("locked"));
      }
      if (away || ids.stream().anyMatch(refused::contains)) {
        throw new StoreUnchangedException("cannot", new SQLException("cannot"));
      }
    }
    return ids.stream().map(id -> InsertOutcome.INSERTED).toList();
  }
}
