// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static io.pocketwatch.PublishOutcome.CONFIRMED;
import static io.pocketwatch.PublishOutcome.REJECTED;
import static io.pocketwatch.PublishOutcome.UNCERTAIN;
import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.localbroker.BrokerNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A broker that stops answering while its connections stay open. Nothing hangs. */
@Tag("wide")
class StalledBrokerIT {
  private static BrokerNode node;

  private World world;
  private DelayedPublisher publisher;
  private DelayedMessage message;

  @BeforeAll
  static void start() {
    node = SharedNodes.own(SharedNodes.NEWEST);
  }

  @AfterAll
  static void end() {
    node.close();
  }

  @BeforeEach
  void open() throws Exception {
    world = new World(node, "StalledBrokerIT");
    message = DelayedMessage.to(world.target("stalled"), "key").delay(Duration.ofSeconds(1));
    publisher = open(world.routes());
  }

  private DelayedPublisher open(DelayRoutes routes) {
    DelayedPublisher opened = world.publisher(routes);
    assertThat(Futures.get(opened.publish(message)).outcome()).isEqualTo(CONFIRMED);
    return opened;
  }

  @AfterEach
  void close() throws Exception {
    node.resume();
    world.close();
  }

  @Test
  void without_an_answer_the_outcome_is_uncertain() {
    node.pause();
    PublishReceipt receipt = Futures.get(publisher.publish(message));
    node.resume();

    assertThat(receipt.outcome()).isEqualTo(UNCERTAIN);
    assertThat(receipt.detail()).contains("no answer from the broker within 3s");
    assertPublishesAgain();
  }

  @Test
  void back_pressure_bounds_what_is_in_flight() throws Exception {
    publisher =
        open(
            world.routes().toBuilder()
                .publisher(world.routes().publisher().toBuilder().maxInFlight(100).build())
                .build());
    AtomicInteger open = new AtomicInteger();
    AtomicInteger mostOpen = new AtomicInteger();
    Queue<CompletableFuture<PublishReceipt>> futures = new ConcurrentLinkedQueue<>();

    node.pause();
    Callers callers =
        Callers.start(
            5,
            caller -> {
              for (int i = 0; i < 40; i++) {
                Instant begin = Instant.now();
                CompletableFuture<PublishReceipt> future = publisher.publish(message);
                assertThat(Duration.between(begin, Instant.now()))
                    .as("a publish call waits no longer than the confirm timeout")
                    .isLessThan(Futures.PATIENCE);
                if (!future.isDone()) {
                  mostOpen.accumulateAndGet(open.incrementAndGet(), Math::max);
                  future.whenComplete((receipt, error) -> open.decrementAndGet());
                }
                futures.add(future);
              }
            });
    callers.join(Duration.ofSeconds(30));
    List<PublishReceipt> receipts = Futures.getAll(futures);
    node.resume();

    assertThat(receipts).hasSize(200);
    assertThat(Futures.outcomes(receipts)).isSubsetOf(UNCERTAIN, REJECTED).contains(UNCERTAIN);
    // A place becomes free after its future has ended, and each caller counts a moment later.
    assertThat(mostOpen.get()).isBetween(95, 100);
    assertPublishesAgain();
  }

  /** Bodies larger than every buffer on the way: the writing thread itself is stuck. */
  @Test
  void a_write_that_is_stuck_in_the_socket_ends_too() throws Exception {
    DelayedMessage big = message.body(new byte[1 << 20]);
    Queue<CompletableFuture<PublishReceipt>> futures = new ConcurrentLinkedQueue<>();

    node.pause();
    Callers callers =
        Callers.start(
            5,
            caller -> {
              for (int i = 0; i < 8; i++) {
                futures.add(publisher.publish(big));
              }
            });
    callers.join(Duration.ofSeconds(20));
    List<PublishReceipt> receipts = Futures.getAll(futures);
    node.resume();

    assertThat(receipts).hasSize(40);
    assertThat(Futures.outcomes(receipts)).isSubsetOf(UNCERTAIN, REJECTED).contains(UNCERTAIN);
    assertPublishesAgain();
  }

  @Test
  void a_destination_that_cannot_be_asked_for_is_a_rejection() throws Exception {
    List<String> targets = IntStream.range(0, 12).mapToObj(i -> "stalled.new." + i).toList();
    for (String target : targets) {
      world.target(target);
    }

    node.pause();
    List<CompletableFuture<PublishReceipt>> futures =
        targets.stream()
            .map(target -> publisher.publish(message(target, DelayStrategy.QUEUE_WHEEL)))
            .toList();
    List<PublishReceipt> receipts = Futures.getAll(futures);
    node.resume();

    assertThat(Futures.outcomes(receipts)).containsOnly(REJECTED);
    assertPublishesAgain();
  }

  @Test
  void temporary_queues_that_cannot_be_declared_are_rejections() {
    node.pause();
    List<CompletableFuture<PublishReceipt>> futures =
        IntStream.range(0, 12)
            .mapToObj(i -> publisher.publish(message("stalled", DelayStrategy.TEMPORARY_QUEUE)))
            .toList();
    List<PublishReceipt> receipts = Futures.getAll(futures);
    node.resume();

    assertThat(Futures.outcomes(receipts)).containsOnly(REJECTED);
    PublishReceipt last =
        Futures.get(
            publisher.publish(
                message("stalled", DelayStrategy.TEMPORARY_QUEUE).delay(Duration.ofSeconds(60))));
    assertThat(last.outcome()).as("one that comes after all of them").isEqualTo(CONFIRMED);
    assertThat(temporaryQueues())
        .as("four were being declared; given up, the others are not begun (and one follows)")
        .hasSizeLessThanOrEqualTo(6);
    assertThat(Futures.get(publisher.cancel(last))).isEqualTo(ChangeOutcome.DONE);
    assertPublishesAgain();
    Awaitility.await("no queue is left behind")
        .atMost(Duration.ofSeconds(50))
        .until(() -> temporaryQueues().isEmpty());
  }

  private List<String> temporaryQueues() {
    return world
        .node()
        .ctl("-q", "list_queues", "name")
        .lines()
        .filter(name -> name.startsWith(world.ours("temporary.")))
        .toList();
  }

  @Test
  void a_cancel_without_an_answer_is_uncertain() {
    PublishReceipt held =
        Futures.get(
            publisher.publish(
                message("stalled", DelayStrategy.TEMPORARY_QUEUE).delay(Duration.ofSeconds(30))));
    assertThat(held.outcome()).isEqualTo(CONFIRMED);

    node.pause();
    ChangeOutcome outcome = Futures.get(publisher.cancel(held));
    node.resume();

    assertThat(outcome).isEqualTo(ChangeOutcome.UNCERTAIN);
    Awaitility.await("the answer can be had later")
        .atMost(Duration.ofSeconds(15))
        .until(() -> Futures.get(publisher.cancel(held)) == ChangeOutcome.UNKNOWN);
  }

  /** The broker counts what it deletes first and deletes then: in between it may fall due. */
  @Test
  void a_cancel_whose_answer_comes_after_the_due_time_does_not_claim_to_have_cancelled() {
    PublishReceipt held =
        Futures.get(
            publisher.publish(
                message("stalled", DelayStrategy.TEMPORARY_QUEUE).delay(Duration.ofSeconds(3))));

    node.pause();
    CompletableFuture<ChangeOutcome> cancel = publisher.cancel(held);
    Awaitility.await().until(() -> Instant.now().isAfter(held.deliverAt().plusMillis(50)));
    node.resume();

    assertThat(Futures.get(cancel)).isEqualTo(ChangeOutcome.UNCERTAIN);
  }

  @Test
  void closing_ends_what_is_in_flight() {
    node.pause();
    List<CompletableFuture<PublishReceipt>> futures =
        IntStream.range(0, 20).mapToObj(i -> publisher.publish(message)).toList();
    Instant begin = Instant.now();
    publisher.close();

    assertThat(Duration.between(begin, Instant.now())).isLessThan(Duration.ofSeconds(20));
    assertThat(futures).allMatch(CompletableFuture::isDone);
    assertThat(Futures.outcomes(Futures.getAll(futures))).containsOnly(UNCERTAIN);
  }

  private static DelayedMessage message(String target, DelayStrategy strategy) {
    return DelayedMessage.to(target, "key").delay(Duration.ofSeconds(5)).strategy(strategy);
  }

  private void assertPublishesAgain() {
    Awaitility.await("confirmed again")
        .atMost(Duration.ofSeconds(20))
        .until(() -> Futures.get(publisher.publish(message)).confirmed());
  }
}
