// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static io.pocketwatch.ChangeOutcome.DONE;
import static io.pocketwatch.PublishOutcome.CONFIRMED;
import static io.pocketwatch.PublishOutcome.REJECTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.Headers;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayLimits;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.HandOffResult;
import io.pocketwatch.store.IdConflictException;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.SchedulingStore.ManyChanged;
import io.pocketwatch.store.SchedulingStore.MessageChange;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.store.jdbc.TransactionalPublisher;
import io.pocketwatch.store.jdbc.TransactionalPublisher.InTransaction;
import io.pocketwatch.tracking.TrackedPublisher;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The publisher's part of a stored message's life, with a real broker and a real database. */
@Execution(ExecutionMode.CONCURRENT) // they mostly wait
class StoredMessagesIT {
  private static final Duration SOON = Duration.ofMillis(1_500);
  private static final Duration FAR = Duration.ofHours(3);

  private World world;
  private StoreWorld database;
  private String target;

  @BeforeEach
  void open() throws Exception {
    world = World.of(StoredMessagesIT.class);
    database = new StoreWorld();
    target = world.target("stored-" + UUID.randomUUID()); // what an earlier test sent may come yet
  }

  @AfterEach
  void close() throws Exception {
    world.close();
    database.close();
  }

  @Test
  void a_tracked_message_is_stored_then_held_then_arrives_with_its_generation() throws Exception {
    TrackedPublisher publisher = database.publisher(world, target, Tracking.FULL);
    Inbox inbox = world.inbox(target);

    PublishReceipt receipt = publish(publisher, message().delay(SOON));

    assertThat(receipt.outcome()).isEqualTo(CONFIRMED);
    assertThat(receipt.strategy()).isEqualTo(DelayStrategy.STORE);
    assertThat(receipt.reason()).isEqualTo("route tracked is tracked");
    StoredMessage held = awaitState(receipt, MessageState.HELD);
    assertThat(held.heldUntil()).isAfterOrEqualTo(receipt.deliverAt());
    Inbox.Arrival arrival = inbox.awaitOne();
    assertThat(arrival.at()).isAfterOrEqualTo(receipt.deliverAt());
    assertThat(arrival.properties().getHeaders())
        .doesNotContainKey(Headers.GENERATION) // the first
        .hasEntrySatisfying(Headers.ROUTE, route -> assertThat(route).hasToString("tracked"));
  }

  @Test
  void what_is_moved_through_a_publisher_is_handed_over_at_once_and_needs_no_loader()
      throws Exception {
    TrackedPublisher publisher = database.publisher(world, target, Tracking.FULL);
    Inbox inbox = world.inbox(target);
    MessageKey moved = key(publish(publisher, message().delay(FAR)));
    MessageKey parked = key(publish(publisher, message().delay(FAR)));
    Lease lease = new Lease("other", SOON);
    database.store().claim(parked, DelayLimits.LATEST, lease).map(this::park).orElseThrow();

    assertThat(publisher.store().reschedule(moved, Instant.now().plus(SOON))).isEqualTo(DONE);
    inbox.awaitOne();

    assertThat(publisher.store().retry(parked)).isEqualTo(DONE);
    assertThat(publisher.store().reschedule(parked, Instant.now())).isEqualTo(DONE);
    inbox.await(2, Duration.ofSeconds(15));
  }

  @Test
  void many_that_are_moved_through_a_publisher_are_handed_over_at_once() throws Exception {
    TrackedPublisher publisher = database.publisher(world, target, Tracking.FULL);
    Inbox inbox = world.inbox(target);
    for (int i = 0; i < 5; i++) {
      publish(publisher, message().delay(FAR).businessKey("order-7"));
    }
    MessageQuery filter =
        MessageQuery.all().businessKey("order-7").states(MessageState.PENDING).limit(2);

    ManyChanged moved =
        publisher
            .store()
            .changeAll(
                filter,
                MessageChange.rescheduleBy(FAR.negated().plus(SOON)),
                "desk",
                soFar -> true);

    assertThat(moved.counts()).isEqualTo(Map.of(DONE, 5L));
    inbox.await(5, Duration.ofSeconds(15));
    assertThat(inbox.arrivals()).allMatch(one -> !one.lateness().isNegative());
  }

  private boolean park(Claim claim) {
    return database.store().conclude(List.of(Conclusion.park(claim, "by hand"))).get(0)
        == Ended.APPLIED;
  }

  @Test
  void far_messages_wait_in_the_database_and_need_no_broker() throws Exception {
    TrackedPublisher publisher = database.publisher(world, target, Tracking.NONE);

    PublishReceipt far = publish(publisher, message().delay(FAR));
    PublishReceipt near = publish(publisher, message().delay(SOON));

    assertThat(far.strategy()).isEqualTo(DelayStrategy.STORE);
    assertThat(far.reason()).isEqualTo("due beyond the horizon");
    assertThat(near.strategy()).isEqualTo(DelayStrategy.QUEUE_WHEEL);
    assertThat(find(far)).get().extracting(StoredMessage::state).isEqualTo(MessageState.PENDING);
    assertThat(find(near)).isEmpty();
  }

  @Test
  void a_message_of_no_tracking_is_forgotten_when_the_broker_has_it() throws Exception {
    TrackedPublisher publisher = database.publisher(world, target, Tracking.NONE);
    PublishReceipt far = publish(publisher, message().delay(FAR));
    database.store().reschedule(key(far), Instant.now().plus(SOON));
    Inbox inbox = world.inbox(target);

    Claim claim = claim(publisher, Duration.ofSeconds(30)).get(0);
    HandOffResult result = Futures.get(publisher.unwrap(HandOff.class).handOff(claim));

    assertThat(result.confirmed()).isTrue();
    assertThat(result.marked()).isTrue();
    assertThat(find(far)).isEmpty();
    assertThat(inbox.awaitOne().properties().getHeaders()).doesNotContainKey(Headers.GENERATION);
  }

  @Test
  void a_message_of_no_tracking_comes_twice_if_its_loader_dies_before_it_forgets_it()
      throws Exception {
    TrackedPublisher first = database.publisher(world, target, Tracking.NONE);
    PublishReceipt far = publish(first, message().delay(FAR));
    database.store().reschedule(key(far), Instant.now().plus(SOON));
    Inbox inbox = world.inbox(target);
    Claim claim = claim(first, Duration.ofSeconds(2)).get(0);
    database.down(true);
    CompletableFuture<HandOffResult> dying = first.unwrap(HandOff.class).handOff(claim);
    inbox.awaitOne();
    assertThat(dying).as("it waits for the database").isNotDone();
    first.close();
    database.down(false);

    TrackedPublisher second = database.publisher(world, target, Tracking.NONE);
    List<Claim> left =
        await().until(() -> claim(second, Duration.ofSeconds(30)), claims -> !claims.isEmpty());
    HandOffResult again = Futures.get(second.unwrap(HandOff.class).handOff(left.get(0)));

    assertThat(again.marked()).isTrue();
    assertThat(find(far)).isEmpty();
    assertThat(inbox.await(2, Duration.ofSeconds(15)))
        .hasSize(2)
        .allMatch(arrival -> arrival.id().equals(far.id()))
        .allMatch(arrival -> !arrival.lateness().isNegative());
  }

  private List<Claim> claim(TrackedPublisher publisher, Duration lease) {
    Instant horizon = publisher.unwrap(HandOff.class).horizon();
    return database
        .store()
        .claim(new ClaimRequest("tracked", horizon, 10, 1_000_000, new Lease("test", lease)));
  }

  @Test
  void handoff_before_keeps_it_in_the_database_although_it_is_within_the_horizon()
      throws Exception {
    TrackedPublisher publisher =
        database.publisher(
            world,
            target,
            route -> route.tracking(Tracking.HANDOFF).handoffBefore(Duration.ofSeconds(2)));

    PublishReceipt late = publish(publisher, message().delay(Duration.ofSeconds(15)));
    PublishReceipt soon = publish(publisher, message().delay(SOON));

    awaitState(soon, MessageState.HELD);
    assertThat(find(late)).get().extracting(StoredMessage::state).isEqualTo(MessageState.PENDING);
    assertThat(Futures.get(publisher.cancel(late))).isEqualTo(ChangeOutcome.DONE);
    assertThat(Futures.get(publisher.cancel(soon))).isEqualTo(ChangeOutcome.TOO_LATE);
  }

  @Test
  void one_id_is_one_message() throws Exception {
    TrackedPublisher publisher = database.publisher(world, target, Tracking.FULL);
    DelayedMessage order = message().id("order-7").deliverAt(Instant.now().plus(FAR));

    PublishReceipt first = publish(publisher, order);
    PublishReceipt again = publish(publisher, order);
    Throwable other = Futures.failure(publisher.publish(order.body("other")));
    Throwable moved = Futures.failure(publisher.publish(order.delay(Duration.ofHours(4))));

    assertThat(first.duplicate()).isFalse();
    assertThat(again.duplicate()).isTrue();
    assertThat(again.confirmed()).isTrue();
    assertThat(other).isInstanceOf(IdConflictException.class).hasMessageContaining("order-7");
    assertThat(moved)
        .isInstanceOf(IdConflictException.class)
        .hasMessageContaining(first.deliverAt().toString());
  }

  @Test
  void over_the_insert_limit_is_rejected_and_not_stored() throws Exception {
    TrackedPublisher publisher =
        database.publisher(world, target, route -> route.tracking(Tracking.FULL).insertLimit(5));

    List<PublishReceipt> receipts =
        Futures.all(50, i -> publisher.publish(message().id("limited-" + i).delay(FAR)));

    List<PublishReceipt> rejected =
        receipts.stream().filter(receipt -> receipt.outcome() == REJECTED).toList();
    assertThat(rejected)
        .hasSizeBetween(30, 45)
        .allSatisfy(
            receipt -> {
              assertThat(receipt.detail()).contains("insert-limit");
              assertThat(find(receipt)).isEmpty();
            });
  }

  @Test
  void a_message_follows_its_callers_transaction() throws Exception {
    TrackedPublisher publisher = database.publisher(world, target, Tracking.FULL);
    TransactionalPublisher transactional = new TransactionalPublisher(publisher, database.store());
    Inbox inbox = world.inbox(target);
    try (Connection connection = database.transaction()) {
      transactional.publish(connection, message().id("rolled-back").delay(SOON));
      connection.rollback();
      InTransaction kept =
          transactional.publish(connection, message().id("kept").deliverAt(in(SOON)));
      assertThatThrownBy(
              () ->
                  transactional.publish(
                      connection, message().id("kept").body("other").deliverAt(in(SOON))))
          .isInstanceOf(IdConflictException.class);
      connection.commit();
      kept.committed();

      assertThat(inbox.awaitOne().id()).isEqualTo("kept");
      assertThat(database.store().find(new MessageKey("tracked", "rolled-back"))).isEmpty();
    }
  }

  @Test
  void what_the_publisher_could_not_hand_over_is_free_for_a_loader() throws Exception {
    TrackedPublisher publisher = database.publisher(world, target, Tracking.FULL);
    PublishReceipt missing =
        publish(
            publisher, DelayedMessage.to("no.such.exchange", "key").route("tracked").delay(SOON));

    assertThat(missing.outcome()).isEqualTo(CONFIRMED);
    await()
        .atMost(Duration.ofSeconds(10))
        .until(() -> database.store().routesDue(in(FAR), null).contains("tracked"));
    assertThat(find(missing))
        .get()
        .extracting(StoredMessage::state)
        .isEqualTo(MessageState.PENDING);
  }

  @Test
  void a_tracked_route_without_a_store_does_not_start() {
    assertThatThrownBy(() -> world.publisher(StoreWorld.routes(world, target, Tracking.HANDOFF)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "route 'tracked' has tracking: handoff, which needs a store,"
                + " and this publisher was given none");
  }

  private DelayedMessage message() {
    return DelayedMessage.to(target, "key").body("{}").header("tenant", Map.of("id", 7L));
  }

  private static Instant in(Duration delay) {
    return Instant.now().plus(delay);
  }

  private static PublishReceipt publish(TrackedPublisher publisher, DelayedMessage message) {
    return Futures.get(publisher.publish(message));
  }

  private StoredMessage awaitState(PublishReceipt receipt, MessageState state) {
    await().atMost(Duration.ofSeconds(5)).until(() -> find(receipt).orElseThrow().state() == state);
    return find(receipt).orElseThrow();
  }

  private Optional<StoredMessage> find(PublishReceipt receipt) {
    return database.store().find(key(receipt));
  }

  private static MessageKey key(PublishReceipt receipt) {
    return new MessageKey(receipt.route(), receipt.id());
  }
}
