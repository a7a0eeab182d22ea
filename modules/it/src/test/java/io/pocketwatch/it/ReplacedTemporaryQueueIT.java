// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.Headers;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.internal.topology.TemporaryQueue;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.HandOffResult;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.tracking.TrackedPublisher;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A message is handed off to a temporary queue that has held it before. */
@Execution(ExecutionMode.CONCURRENT) // they mostly wait
class ReplacedTemporaryQueueIT {
  private static final Duration DELAY = Duration.ofSeconds(4);
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private World world;
  private StoreWorld database;
  private String target;

  @BeforeEach
  void open() throws Exception {
    world = World.of(ReplacedTemporaryQueueIT.class);
    database = new StoreWorld();
    target = world.target("replaced-" + UUID.randomUUID());
  }

  @AfterEach
  void close() throws Exception {
    world.close();
    database.close();
  }

  @ParameterizedTest(name = "queue lost: {0}, by another process: {1}")
  @CsvSource({"true, false", "false, false", "false, true"})
  void a_stored_message_sent_again_arrives_once_and_as_the_new_copy(boolean lost, boolean other)
      throws Exception {
    TrackedPublisher first = publisher();
    Inbox inbox = world.inbox(target);
    PublishReceipt receipt = publish(first, message("again").delay(DELAY));
    MessageKey key = new MessageKey(receipt.route(), receipt.id());
    await().atMost(PATIENCE).until(() -> state(key) == MessageState.HELD);
    if (lost) {
      world
          .channel()
          .queueDelete(queue(TemporaryQueue.token("tracked", receipt.id(), receipt.deliverAt())));
    }

    assertThat(database.store().retry(key)).isEqualTo(ChangeOutcome.DONE);
    TrackedPublisher second = other ? publisher() : first;
    HandOffResult result = Futures.get(second.unwrap(HandOff.class).handOff(claim(second)));

    assertThat(result.confirmed()).as("%s", result).isTrue();
    assertThat(state(key)).isEqualTo(MessageState.HELD);
    Inbox.Arrival arrival = inbox.awaitOne();
    assertThat(arrival.lateness()).isPositive();
    assertThat(arrival.properties().getHeaders()).containsEntry(Headers.GENERATION, 2);
    await()
        .during(Duration.ofSeconds(1))
        .atMost(PATIENCE)
        .until(() -> inbox.arrivals().size() == 1);
  }

  @Test
  void an_id_is_free_again_once_the_broker_has_lost_its_queue() throws Exception {
    DelayedPublisher publisher = world.publisher();
    Inbox inbox = world.inbox(target);
    DelayedMessage message =
        message("free")
            .strategy(DelayStrategy.TEMPORARY_QUEUE)
            .deliverAt(Instant.now().plus(DELAY).truncatedTo(ChronoUnit.MILLIS));
    PublishReceipt receipt = publish(publisher, message);
    world.channel().queueDelete(queue(TemporaryQueue.token(receipt.id(), receipt.deliverAt())));

    assertThat(publish(publisher, message).confirmed()).isTrue();
    assertThat(inbox.awaitOne().id()).isEqualTo(receipt.id());
  }

  @Test
  void rows_of_two_routes_with_the_same_id_and_instant_do_not_replace_each_other()
      throws Exception {
    TrackedPublisher publisher = publisher("tracked", "other");
    Inbox inbox = world.inbox(target);
    DelayedMessage message =
        message("same").deliverAt(Instant.now().plus(DELAY).truncatedTo(ChronoUnit.MILLIS));
    for (String route : List.of("tracked", "other")) {
      PublishReceipt receipt = publish(publisher, message.route(route));
      MessageKey key = new MessageKey(route, receipt.id());
      await().atMost(PATIENCE).until(() -> state(key) == MessageState.HELD);
    }

    await().atMost(PATIENCE).until(() -> inbox.arrivals().size() == 2);
    assertThat(inbox.arrivals())
        .extracting(arrival -> arrival.properties().getHeaders().get(Headers.ROUTE).toString())
        .containsExactlyInAnyOrder("tracked", "other");
  }

  private TrackedPublisher publisher() {
    return publisher("tracked");
  }

  private TrackedPublisher publisher(String... names) {
    DelayRoutes routes = StoreWorld.routes(world, target, Tracking.HANDOFF);
    DelayRoutes own =
        DelayRoutes.builder()
            .hold(routes.hold())
            .publisher(routes.publisher())
            .loader(routes.loader())
            .build();
    for (String name : names) {
      own =
          own.toBuilder()
              .route(
                  DelayRoute.builder(name)
                      .exchange(target)
                      .routingKey(name.equals("tracked") ? "key" : name)
                      .tracking(Tracking.HANDOFF)
                      .strategy(DelayStrategy.TEMPORARY_QUEUE)
                      .build())
              .build();
    }
    return world.publisher(own, database.store());
  }

  private DelayedMessage message(String id) {
    return DelayedMessage.to(target, "key").id(id + "-" + System.nanoTime());
  }

  private static PublishReceipt publish(DelayedPublisher publisher, DelayedMessage message)
      throws Exception {
    PublishReceipt receipt = Futures.get(publisher.publish(message));
    assertThat(receipt.confirmed()).as("%s", receipt).isTrue();
    return receipt;
  }

  private String queue(String token) {
    return new Names(world.prefix()).temporaryQueue(token);
  }

  private MessageState state(MessageKey key) {
    return database.store().find(key).orElseThrow().state();
  }

  private Claim claim(TrackedPublisher publisher) {
    Lease lease = new Lease("test", Duration.ofSeconds(30));
    Instant horizon = publisher.unwrap(HandOff.class).horizon();
    return database
        .store()
        .claim(new ClaimRequest("tracked", horizon, 10, 1_000_000, lease))
        .get(0);
  }
}
