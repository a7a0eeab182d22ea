// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static io.pocketwatch.PublishOutcome.CONFIRMED;
import static io.pocketwatch.PublishOutcome.REJECTED;
import static io.pocketwatch.PublishOutcome.RETURNED;
import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.Headers;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.PublisherOptions;
import io.pocketwatch.config.TemporaryQueueOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a healthy broker answers: confirmed, returned, rejected. */
class OutcomesIT {
  private World world;

  @BeforeEach
  void open() {
    world = World.of(OutcomesIT.class);
  }

  @AfterEach
  void close() throws Exception {
    world.close();
  }

  @Test
  void confirmed_by_every_strategy() throws Exception {
    String target = world.target("outcomes.confirmed");
    DelayedPublisher publisher = world.publisher();
    DelayedMessage message = DelayedMessage.to(target, "key");

    PublishReceipt now = Futures.get(publisher.publish(message));
    PublishReceipt wheel = Futures.get(publisher.publish(message.delay(Duration.ofMillis(50))));
    PublishReceipt temporary =
        Futures.get(
            publisher.publish(
                message.delay(Duration.ofMillis(50)).strategy(DelayStrategy.TEMPORARY_QUEUE)));

    assertThat(List.of(now.outcome(), wheel.outcome(), temporary.outcome()))
        .containsOnly(CONFIRMED);
    assertThat(List.of(now.strategy(), wheel.strategy(), temporary.strategy()))
        .containsExactly(
            DelayStrategy.IMMEDIATE, DelayStrategy.QUEUE_WHEEL, DelayStrategy.TEMPORARY_QUEUE);
    assertThat(now.detail()).isEmpty();
    assertThat(world.inbox(target).await(3, Duration.ofSeconds(10)))
        .extracting(Inbox.Arrival::id)
        .containsExactlyInAnyOrder(now.id(), wheel.id(), temporary.id());
  }

  @Test
  void returned_when_an_immediate_message_routes_nowhere() throws Exception {
    String target = world.target("outcomes.returned");

    PublishReceipt receipt =
        Futures.get(world.publisher().publish(DelayedMessage.to(target, "no such key")));

    assertThat(receipt.outcome()).isEqualTo(RETURNED);
    assertThat(receipt.detail()).contains("312").contains("NO_ROUTE");
    assertThat(receipt.confirmed()).isFalse();
  }

  @Test
  void returned_when_the_binding_of_a_wheel_position_is_gone() throws Exception {
    String target = world.target("outcomes.position");
    DelayedPublisher publisher = world.publisher();
    String hand = world.ours("wheel.quorum.1s");
    DelayedMessage message = DelayedMessage.to(target, "key").delay(Duration.ofMillis(1_500));

    world.channel().queueUnbind(hand + ".1", hand, "pw-1s-1");
    PublishReceipt receipt = Futures.get(publisher.publish(message));
    world.channel().queueBind(hand + ".1", hand, "pw-1s-1");
    PublishReceipt again = Futures.get(publisher.publish(message));

    assertThat(receipt.outcome()).isEqualTo(RETURNED);
    assertThat(again.outcome()).isEqualTo(CONFIRMED);
    assertThat(world.inbox(target).awaitOne().id()).isEqualTo(again.id());
  }

  /** Met only after the first hop, when nobody can be told: parked, so that it holds up nobody. */
  @Test
  void parked_when_the_binding_of_a_wheel_zero_is_gone() throws Exception {
    String target = world.target("outcomes.zero");
    DelayedPublisher publisher = world.publisher();
    String source = world.ours("wheel.quorum.100ms");
    String next = world.ours("wheel.quorum.10ms");
    Inbox inbox = world.inbox(target);

    DelayedMessage message = DelayedMessage.to(target, "key");
    PublishReceipt first = Futures.get(publisher.publish(message.delay(Duration.ofMillis(20))));

    world.channel().exchangeUnbind(next, source, "pw-100ms-0-10ms");
    // Digits 1 0 9 and 1 5 9: some ms lost on the way do not change the first two.
    PublishReceipt stuck = Futures.get(publisher.publish(message.delay(Duration.ofMillis(1_085))));
    PublishReceipt other = Futures.get(publisher.publish(message.delay(Duration.ofMillis(1_585))));
    assertThat(List.of(stuck.outcome(), other.outcome())).containsOnly(CONFIRMED);
    assertThat(inbox.await(2, Duration.ofSeconds(10)))
        .extracting(Inbox.Arrival::id)
        .as("the second one does not need that zero")
        .containsExactly(first.id(), other.id());

    String parked = world.ours("unroutable");
    Awaitility.await().until(() -> world.channel().messageCount(parked) == 1);
    assertThat(Headers.id(world.channel().basicGet(parked, true).getProps())).isEqualTo(stuck.id());
  }

  @Test
  void rejected_when_the_broker_refuses() throws Exception {
    String full =
        world.queue("outcomes.full", Map.of("x-max-length", 1, "x-overflow", "reject-publish"));
    DelayedPublisher publisher = world.publisher();

    PublishReceipt first = Futures.get(publisher.publish(DelayedMessage.toQueue(full)));
    PublishReceipt second = Futures.get(publisher.publish(DelayedMessage.toQueue(full)));

    assertThat(first.outcome()).isEqualTo(CONFIRMED);
    assertThat(second.outcome()).isEqualTo(REJECTED);
    assertThat(second.detail()).contains("basic.nack");
  }

  @Test
  void rejected_at_the_limit_of_temporary_queues_which_a_cancel_makes_room_under()
      throws Exception {
    String target = world.target("outcomes.limit");
    DelayedPublisher publisher =
        world.publisher(
            world.routes().toBuilder()
                .hold(
                    world.routes().hold().toBuilder()
                        .temporaryQueues(TemporaryQueueOptions.builder().max(2).build())
                        .build())
                .build());
    DelayedMessage message =
        DelayedMessage.to(target, "key")
            .delay(Duration.ofSeconds(60))
            .strategy(DelayStrategy.TEMPORARY_QUEUE);

    List<PublishReceipt> two = Futures.all(2, i -> publisher.publish(message));
    PublishReceipt third = Futures.get(publisher.publish(message));
    Futures.get(publisher.cancel(two.get(0)));
    PublishReceipt fourth = Futures.get(publisher.publish(message));

    assertThat(Futures.outcomes(two)).containsOnly(CONFIRMED);
    assertThat(third.outcome()).isEqualTo(REJECTED);
    assertThat(third.detail()).contains("2").contains("temporary-queues.max");
    assertThat(fourth.outcome()).isEqualTo(CONFIRMED);
    Futures.get(publisher.cancel(two.get(1)));
    Futures.get(publisher.cancel(fourth));
  }

  /** A slow continuation keeps its place, so this limit needs no slow broker to be reached. */
  @Test
  void rejected_when_no_place_in_flight_becomes_free() throws Exception {
    String target = world.target("outcomes.places");
    DelayedPublisher publisher =
        world.publisher(
            world.routes().toBuilder()
                .publisher(
                    PublisherOptions.builder()
                        .maxInFlight(1)
                        .confirmTimeout(Duration.ofSeconds(1))
                        .build())
                .build());
    CountDownLatch slow = new CountDownLatch(1);
    CompletableFuture<Void> first =
        Futures.hold(() -> publisher.publish(DelayedMessage.to(target, "key")), slow);

    PublishReceipt second = Futures.get(publisher.publish(DelayedMessage.to(target, "key")));
    slow.countDown();
    Futures.get(first);
    PublishReceipt third = Futures.get(publisher.publish(DelayedMessage.to(target, "key")));

    assertThat(second.outcome()).isEqualTo(REJECTED);
    assertThat(second.detail()).contains("1 messages in flight").contains("nothing was sent");
    assertThat(third.outcome()).isEqualTo(CONFIRMED);
  }
}
