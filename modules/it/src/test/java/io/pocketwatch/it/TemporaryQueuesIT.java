// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static io.pocketwatch.ChangeOutcome.DONE;
import static io.pocketwatch.ChangeOutcome.TOO_LATE;
import static io.pocketwatch.ChangeOutcome.UNCERTAIN;
import static io.pocketwatch.ChangeOutcome.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ResourceLockTarget.CHILDREN;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.TemporaryQueueOptions;
import io.pocketwatch.localbroker.BrokerNode;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One queue per message: its life, and what a cancel may claim. */
@Execution(ExecutionMode.CONCURRENT) // they mostly wait
@ResourceLock(value = TemporaryQueuesIT.HASTE, mode = ResourceAccessMode.READ, target = CHILDREN)
class TemporaryQueuesIT {
  /** Whoever has to be quick has the machine alone. */
  static final String HASTE = "haste";

  private static final Duration LINGER = Duration.ofSeconds(10);

  @ResourceLock(HASTE)
  @Test
  void cancels_around_the_due_time_tell_the_truth() throws Exception {
    cancelAroundTheDueTime("4.3");
  }

  @Tag("wide")
  @ResourceLock(HASTE)
  @Test
  void so_they_do_on_the_oldest_broker() throws Exception {
    cancelAroundTheDueTime("3.10");
  }

  /** One cancel per message, from 1.8 s before to 0.6 s after its due time. */
  private void cancelAroundTheDueTime(String version) throws Exception {
    try (World world = new World(SharedNodes.of(version), "temporary-cancels")) {
      String target = world.target("temporary.cancels");
      DelayedPublisher publisher = world.publisher(routes(world));
      Inbox inbox = world.inbox(target);
      Random random = new Random(7);
      Instant begin = Instant.now().plusSeconds(4);
      List<PublishReceipt> sent =
          Futures.all(
              150,
              i ->
                  publisher.publish(to(target).deliverAt(begin.plusMillis(random.nextInt(2_000)))));
      // A busy machine's broker may not have declared each queue within 3 s; nothing was sent then.
      List<PublishReceipt> receipts = sent.stream().filter(PublishReceipt::confirmed).toList();
      assertThat(receipts).hasSizeGreaterThan(50);
      List<String> rejected =
          sent.stream()
              .filter(each -> each.outcome() == PublishOutcome.REJECTED)
              .map(PublishReceipt::id)
              .toList();
      assertThat(receipts.size() + rejected.size()).isEqualTo(sent.size());

      Map<String, CompletableFuture<ChangeOutcome>> cancels = new HashMap<>();
      for (PublishReceipt receipt : receipts) {
        long wait =
            Duration.between(Instant.now(), receipt.deliverAt()).toMillis()
                - 1_800
                + random.nextInt(2_400);
        Executor then = CompletableFuture.delayedExecutor(wait, TimeUnit.MILLISECONDS);
        cancels.put(
            receipt.id(),
            CompletableFuture.supplyAsync(() -> receipt, then).thenCompose(publisher::cancel));
      }
      Map<String, ChangeOutcome> outcomes = new HashMap<>();
      for (Map.Entry<String, CompletableFuture<ChangeOutcome>> cancel : cancels.entrySet()) {
        outcomes.put(cancel.getKey(), cancel.getValue().get(20, TimeUnit.SECONDS));
      }

      assertThat(outcomes.values()).contains(DONE, TOO_LATE).doesNotContain(UNKNOWN);
      List<String> mustArrive = ids(outcomes, TOO_LATE);
      Awaitility.await()
          .atMost(Duration.ofSeconds(15))
          .until(() -> inbox.ids().containsAll(mustArrive));
      // An end to wait for, behind everything that could still come.
      PublishReceipt last =
          Futures.get(publisher.publish(to(target).delay(Duration.ofMillis(1_500))));
      Awaitility.await()
          .atMost(Duration.ofSeconds(15))
          .until(() -> inbox.ids().contains(last.id()));
      assertThat(inbox.ids())
          .doesNotContainAnyElementsOf(ids(outcomes, DONE))
          .doesNotHaveDuplicates();
      assertThat(inbox.ids()).filteredOn(rejected::contains).isEmpty();
      assertThat(ids(outcomes, UNCERTAIN)).as("a healthy broker answers").hasSizeLessThan(15);
    }
  }

  /** As {@link Instant#now} is. */
  @Test
  void an_instant_with_a_part_of_a_millisecond_finds_what_was_published_for_it() throws Exception {
    try (World world = World.of(TemporaryQueuesIT.class)) {
      String target = world.target("temporary.nanos");
      DelayedPublisher publisher = world.publisher(routes(world));
      Instant instant = Instant.now().plusSeconds(60).with(ChronoField.NANO_OF_SECOND, 123_456_789);
      PublishReceipt receipt = Futures.get(publisher.publish(to(target).deliverAt(instant)));

      assertThat(receipt.deliverAt()).isEqualTo(instant.plusNanos(543_211));
      assertThat(Futures.get(publisher.cancel(receipt.id(), instant))).isEqualTo(DONE);
    }
  }

  /** A broker that has not written down the name of a quorum queue forgets what was in it. */
  @Tag("wide")
  @ParameterizedTest
  @ValueSource(strings = {"4.3", "3.10"})
  void what_was_confirmed_right_before_the_broker_was_killed_arrives(String version)
      throws Exception {
    try (BrokerNode node = SharedNodes.own(version);
        World world = new World(node, "temporary-killed")) {
      String target = world.target("temporary.killed");
      DelayedPublisher publisher = world.publisher(routes(world));
      PublishReceipt receipt =
          Futures.get(publisher.publish(to(target).delay(Duration.ofSeconds(20))));

      node.kill();
      node.start();

      assertThat(receipt.confirmed()).isTrue();
      assertThat(world.inbox(target).await(1, Duration.ofSeconds(40)))
          .extracting(Inbox.Arrival::id)
          .containsExactly(receipt.id());
    }
  }

  @Test
  void a_cancel_in_time_is_done_once() throws Exception {
    try (World world = World.of(TemporaryQueuesIT.class)) {
      String target = world.target("temporary.once");
      DelayedPublisher publisher = world.publisher(routes(world));
      DelayedPublisher other = world.publisher(routes(world));
      PublishReceipt receipt =
          Futures.get(publisher.publish(to(target).delay(Duration.ofSeconds(30))));

      assertThat(Futures.get(other.cancel(receipt.id(), receipt.deliverAt())))
          .as("any process with id and instant may")
          .isEqualTo(DONE);
      assertThat(Futures.get(publisher.cancel(receipt))).isEqualTo(UNKNOWN);
      assertThat(Futures.get(publisher.cancel("never sent", Instant.now().plusSeconds(30))))
          .isEqualTo(UNKNOWN);
      PublishReceipt again =
          Futures.get(publisher.publish(to(target).id(receipt.id()).delay(Duration.ofMillis(200))));
      assertThat(again.confirmed()).as("the id is free again: %s", again).isTrue();
      assertThat(world.inbox(target).awaitOne().id()).isEqualTo(receipt.id());
    }
  }

  /** Id and instant make a hold; the same id at another instant is another one. */
  @Test
  void a_hold_that_is_there_already_is_refused_and_arrives_once() throws Exception {
    try (World world = World.of(TemporaryQueuesIT.class)) {
      String target = world.target("temporary.twice");
      DelayedPublisher publisher = world.publisher(routes(world));
      DelayedPublisher other = world.publisher(routes(world));
      DelayedMessage message = to(target).id("twice-" + System.nanoTime());
      Instant instant = Instant.now().plusSeconds(3);
      PublishReceipt first = Futures.get(publisher.publish(message.deliverAt(instant)));
      assertThat(first.confirmed()).isTrue();
      PublishReceipt later =
          Futures.get(publisher.publish(message.deliverAt(instant.plusMillis(500))));
      assertThat(later.confirmed()).as("%s", later).isTrue();

      assertThat(Futures.failure(publisher.publish(message.deliverAt(instant))))
          .isInstanceOf(InvalidMessageException.class)
          .hasMessageContaining(first.id())
          .hasMessageContaining("held already");
      assertThat(Futures.failure(other.publish(message.deliverAt(instant))))
          .as("by another publisher")
          .isInstanceOf(InvalidMessageException.class)
          .hasMessageContaining(first.id())
          .hasMessageContaining("refused its temporary queue");

      Inbox inbox = world.inbox(target);
      PublishReceipt last = Futures.get(publisher.publish(to(target).delay(Duration.ofSeconds(5))));
      assertThat(inbox.await(3, Duration.ofSeconds(15)))
          .extracting(Inbox.Arrival::id)
          .containsExactly(first.id(), first.id(), last.id());
    }
  }

  /** By a process that declared it and was killed before it could send. */
  @Tag("ci")
  @Test
  void an_empty_queue_that_another_process_left_is_no_obstacle() throws Exception {
    try (World world = World.of(TemporaryQueuesIT.class)) {
      String target = world.target("temporary.left");
      DelayedPublisher publisher = world.publisher(routes(world));
      DelayedMessage message = to(target).id("left-" + System.nanoTime());
      Instant instant = Instant.now().plusSeconds(12).truncatedTo(ChronoUnit.MILLIS);
      String queue = world.ours("temporary.%s-%s".formatted(message.id(), instant.toEpochMilli()));
      world
          .channel()
          .queueDeclare(
              queue, true, false, false, Map.of("x-queue-type", "quorum", "x-message-ttl", 60_000));

      Awaitility.await("until the broker is believed")
          .atMost(Duration.ofSeconds(9))
          .until(
              () -> {
                CompletableFuture<PublishReceipt> future =
                    publisher.publish(message.deliverAt(instant));
                return future
                    .handle((receipt, error) -> error == null && receipt.confirmed())
                    .get();
              });

      assertThat(world.inbox(target).awaitOne().id()).isEqualTo(message.id());
    }
  }

  @Tag("ci")
  @Test
  void a_queue_goes_when_drained_and_lingered_and_would_expire_a_day_after() throws Exception {
    try (World world = World.of(TemporaryQueuesIT.class)) {
      String target = world.target("temporary.life");
      DelayedPublisher publisher = world.publisher(routes(world));
      List<PublishReceipt> receipts =
          Futures.all(3, i -> publisher.publish(to(target).delay(Duration.ofMillis(1_500))));
      String queue = queue(world, receipts.get(0));
      String arguments =
          world
              .node()
              .ctl("-q", "list_queues", "name", "arguments")
              .lines()
              .filter(line -> line.startsWith(queue + "\t"))
              .findFirst()
              .orElseThrow();
      long ttl = number(arguments, "x-message-ttl");
      assertThat(ttl).isBetween(1_000L, 1_500L);
      assertThat(number(arguments, "x-expires")).isEqualTo(ttl + Duration.ofDays(1).toMillis());

      assertThat(world.inbox(target).await(3, Duration.ofSeconds(10))).hasSize(3);
      Instant mayGo = receipts.get(0).deliverAt().plus(LINGER);
      boolean[] early = {false};
      Awaitility.await("the drained queue is deleted")
          .atMost(LINGER.plusSeconds(8))
          .pollInterval(Duration.ofMillis(250))
          .until(
              () -> {
                boolean there = world.exists(queue);
                early[0] |= !there && Instant.now().isBefore(mayGo);
                return !there;
              });
      assertThat(early[0]).as("deleted before it lingered").isFalse();
      Awaitility.await()
          .atMost(Duration.ofSeconds(5))
          .until(() -> receipts.stream().noneMatch(each -> world.exists(queue(world, each))));
    }
  }

  /** Nobody is left to delete the queue, which therefore expires by itself a day later. */
  @Test
  void a_message_outlives_its_publisher() throws Exception {
    try (World world = World.of(TemporaryQueuesIT.class)) {
      String target = world.target("temporary.orphan");
      DelayedPublisher publisher = world.publisher(routes(world));
      PublishReceipt receipt =
          Futures.get(publisher.publish(to(target).delay(Duration.ofMillis(1_500))));
      publisher.close();

      assertThat(world.inbox(target).awaitOne().id()).isEqualTo(receipt.id());
      assertThat(world.exists(queue(world, receipt))).isTrue();
    }
  }

  private static DelayedMessage to(String target) {
    return DelayedMessage.to(target, "key").strategy(DelayStrategy.TEMPORARY_QUEUE);
  }

  private static String queue(World world, PublishReceipt receipt) {
    return world.ours("temporary." + receipt.id() + "-" + receipt.deliverAt().toEpochMilli());
  }

  private static DelayRoutes routes(World world) {
    DelayRoutes routes = world.routes();
    return routes.toBuilder()
        .hold(
            routes.hold().toBuilder()
                .temporaryQueues(TemporaryQueueOptions.builder().linger(LINGER).build())
                .build())
        .build();
  }

  private static List<String> ids(Map<String, ChangeOutcome> outcomes, ChangeOutcome wanted) {
    return outcomes.entrySet().stream()
        .filter(entry -> entry.getValue() == wanted)
        .map(Map.Entry::getKey)
        .toList();
  }

  private static long number(String arguments, String name) {
    return Long.parseLong(arguments.replaceFirst(".*\"" + name + "\",(\\d+).*", "$1"));
  }
}
