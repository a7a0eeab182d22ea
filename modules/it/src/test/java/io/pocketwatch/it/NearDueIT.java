// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.BuiltinExchangeType;
import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.Headers;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.HandOffResult;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore.Begun.Verdict;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.store.Handlings;
import io.pocketwatch.tracking.TrackedPublisher;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Rows that are due so soon that they wait in the publisher. Leases last 5 s here. */
@Execution(ExecutionMode.CONCURRENT) // they mostly wait
class NearDueIT {
  private static final Duration NEAR = Duration.ofMillis(1_500);
  private static final Duration AHEAD = Duration.ofMillis(2_500);

  private World world;
  private StoreWorld database;
  private String target;

  @BeforeEach
  void open() throws Exception {
    world = World.of(NearDueIT.class);
    database = new StoreWorld();
    target = world.target("near-" + UUID.randomUUID()); // what an earlier test sent may come yet
  }

  @AfterEach
  void close() throws Exception {
    world.close();
    database.close();
  }

  @Test
  void what_is_due_soon_goes_straight_to_its_target_when_due_and_is_marked_later()
      throws Exception {
    TrackedPublisher publisher = database.publisher(world, target, Tracking.FULL);
    Inbox inbox = world.inbox(target);

    PublishReceipt near = publish(publisher, NEAR);
    Inbox.Arrival arrival = inbox.awaitOne();

    assertThat(arrival.at()).isAfterOrEqualTo(near.deliverAt());
    assertThat(arrival.properties().getHeaders())
        .doesNotContainKey(Headers.GENERATION) // the first
        .containsEntry(Headers.DELIVER_AT, near.deliverAt().toEpochMilli())
        .doesNotContainKey("x-death");
    await().until(() -> row(near).state() == MessageState.HELD);
  }

  @Test
  void what_is_settled_before_it_is_marked_stays_settled() throws Exception {
    TrackedPublisher publisher = database.publisher(world, target, Tracking.FULL);
    Inbox inbox = world.inbox(target);
    PublishReceipt near = publish(publisher, NEAR);
    inbox.awaitOne();

    settle(near);
    publisher.close(); // writes the marks

    assertThat(row(near).state()).isEqualTo(MessageState.SETTLED);
  }

  @Test
  void what_is_due_later_is_claimed_by_a_loader_and_goes_straight_to_its_target_too()
      throws Exception {
    Inbox inbox = world.inbox(target);
    TrackedPublisher full = database.publisher(world, target, Tracking.FULL);
    try (Loader loader = new Loader(full)) {
      loader.start();
      PublishReceipt ahead = publish(full, AHEAD);
      assertThat(row(ahead).state()).isEqualTo(MessageState.PENDING);

      Inbox.Arrival arrival = inbox.awaitOne();
      assertThat(arrival.at()).isAfterOrEqualTo(ahead.deliverAt());
      assertThat(arrival.properties().getHeaders()).doesNotContainKey("x-death");
    }
  }

  @Test
  void what_nobody_checks_is_held_by_the_broker() throws Exception {
    Inbox inbox = world.inbox(target);
    PublishReceipt unchecked = publish(database.publisher(world, target, Tracking.HANDOFF), NEAR);
    await().until(() -> row(unchecked).state() == MessageState.HELD);
    assertThat(Instant.now()).isBefore(unchecked.deliverAt());

    Inbox.Arrival arrival = inbox.awaitOne();
    assertThat(arrival.properties().getHeaders()).containsKey("x-death");
    assertThat(arrival.lateness()).isPositive();
  }

  @Test
  void what_has_no_queue_is_noticed_when_due_and_waits_in_the_database() throws Exception {
    world.exchange(target + "-nowhere", BuiltinExchangeType.DIRECT);
    TrackedPublisher publisher = database.publisher(world, target, Tracking.FULL);

    PublishReceipt near =
        Futures.get(
            publisher.publish(
                DelayedMessage.to(target + "-nowhere", "key").route("tracked").delay(NEAR)));

    await().until(() -> database.store().routesDue(Instant.now(), null).contains("tracked"));
    assertThat(row(near).state()).isEqualTo(MessageState.PENDING);
    assertThat(Instant.now()).isBefore(near.deliverAt().plusSeconds(3)); // not by its lease
  }

  @Test
  void a_waiting_one_is_cancelled_and_moved_at_once() throws Exception {
    TrackedPublisher publisher = database.publisher(world, target, Tracking.FULL);
    Inbox inbox = world.inbox(target);
    PublishReceipt cancelled = publish(publisher, NEAR);
    PublishReceipt moved = publish(publisher, NEAR);

    assertThat(Futures.get(publisher.cancel(cancelled))).isEqualTo(ChangeOutcome.DONE);
    Instant sooner = Instant.now().plusMillis(300);
    publisher.store().reschedule(key(moved), sooner);
    List<Inbox.Arrival> arrivals = inbox.await(3, Duration.ofSeconds(15));

    assertThat(arrivals.get(0).id()).isEqualTo(moved.id());
    assertThat(arrivals.get(0).at()).isAfterOrEqualTo(sooner);
    assertThat(arrivals.get(0).properties().getHeaders()).containsEntry(Headers.GENERATION, 2);
    assertThat(verdict(cancelled, 1)).isEqualTo(Verdict.CANCELLED);
    assertThat(verdict(moved, 1)).isEqualTo(Verdict.OUTDATED);
    assertThat(verdict(moved, 2)).isEqualTo(Verdict.HANDLE);
  }

  @Test
  void what_waits_when_the_publisher_is_closed_is_sent_by_another_process() throws Exception {
    TrackedPublisher publisher = database.publisher(world, target, Tracking.FULL);
    Inbox inbox = world.inbox(target);
    PublishReceipt near = publish(publisher, NEAR);

    publisher.close();

    assertThat(row(near).state()).isEqualTo(MessageState.PENDING);
    TrackedPublisher other = database.publisher(world, target, Tracking.FULL);
    try (Loader loader = new Loader(other)) {
      loader.start();
      assertThat(inbox.awaitOne().lateness()).isBetween(Duration.ZERO, Duration.ofSeconds(3));
    }
  }

  @Test
  void if_its_process_dies_before_the_mark_it_comes_again_and_the_second_copy_is_skipped()
      throws Exception {
    TrackedPublisher first = database.publisher(world, target, Tracking.FULL);
    Inbox inbox = world.inbox(target);
    PublishReceipt near = publish(first, NEAR);
    inbox.awaitOne();
    database.down(true); // for the first: it never writes the mark
    first.close();
    DelayStore store = database.storeOfAnother();
    assertThat(store.find(key(near)).orElseThrow().state()).isEqualTo(MessageState.PENDING);

    DelayRoutes routes = StoreWorld.routes(world, target, Tracking.FULL);
    TrackedPublisher second = world.publisher(routes, store);
    Lease lease = new Lease("another", Duration.ofSeconds(30));
    ClaimRequest request = new ClaimRequest("tracked", Instant.now(), 10, 1_000, lease);
    List<Claim> left = await().until(() -> store.claim(request), all -> !all.isEmpty());
    HandOffResult again = Futures.get(second.unwrap(HandOff.class).handOff(left.get(0)));

    assertThat(again.marked()).isTrue();
    assertThat(inbox.await(2, Duration.ofSeconds(15))).allMatch(one -> one.id().equals(near.id()));
    database.down(false);
    settle(near);
    assertThat(verdict(near, 1)).as("of the second copy").isEqualTo(Verdict.SETTLED);
  }

  private void settle(PublishReceipt receipt) {
    Handlings handlings = Handlings.of(database.store());
    Handlings.Answer begun = handlings.begin(key(receipt), 1, target, Duration.ofMinutes(1));
    assertThat(handlings.settle(begun.handling())).isTrue();
  }

  private Verdict verdict(PublishReceipt receipt, int generation) {
    return Handlings.of(database.store())
        .begin(key(receipt), generation, target, Duration.ofMinutes(1))
        .verdict();
  }

  private PublishReceipt publish(TrackedPublisher publisher, Duration delay) {
    return Futures.get(publisher.publish(DelayedMessage.to(target, "key").body("{}").delay(delay)));
  }

  private StoredMessage row(PublishReceipt receipt) {
    return database.store().find(key(receipt)).orElseThrow();
  }

  private static MessageKey key(PublishReceipt receipt) {
    return new MessageKey(receipt.route(), receipt.id());
  }
}
