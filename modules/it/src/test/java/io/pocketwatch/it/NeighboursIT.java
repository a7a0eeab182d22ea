// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static io.pocketwatch.PublishOutcome.CONFIRMED;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.BuiltinExchangeType;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Isolation;
import io.pocketwatch.config.DelayRoutes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A destination that takes nothing does not hold up what falls due for others. */
@Tag("wide")
class NeighboursIT {
  private static final Duration DELAY = Duration.ofSeconds(2);
  private static final Duration ON_TIME = Duration.ofSeconds(1);

  @ParameterizedTest
  @CsvSource({"4.3, TTL_QUEUE", "4.3, QUEUE_WHEEL", "3.10, TTL_QUEUE", "3.10, QUEUE_WHEEL"})
  void two_hundred_unroutable_messages_delay_nobody(String version, DelayStrategy strategy)
      throws Exception {
    try (World world = new World(SharedNodes.of(version), "NeighboursIT")) {
      String nowhere = world.exchange("neighbours.nowhere", BuiltinExchangeType.TOPIC);
      String good = world.target("neighbours.good." + strategy);
      DelayedPublisher publisher =
          world.publisher(
              world.routes().toBuilder()
                  .defaults(DelayRoute.defaults().toBuilder().delays(DELAY).build())
                  .build());
      Inbox inbox = world.inbox(good);

      List<PublishReceipt> lost =
          Futures.all(
              200,
              i ->
                  publisher.publish(
                      DelayedMessage.to(nowhere, "matches.nothing")
                          .delay(DELAY)
                          .strategy(strategy)));
      List<PublishReceipt> fine =
          Futures.all(
              50,
              i ->
                  publisher.publish(
                      DelayedMessage.to(good, "key").delay(DELAY).strategy(strategy)));

      assertThat(Futures.outcomes(lost)).as("held, at least").containsOnly(CONFIRMED);
      assertThat(Futures.outcomes(fine)).containsOnly(CONFIRMED);
      assertOnTime(inbox.await(50, Duration.ofSeconds(20)), fine);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"4.3", "3.10"})
  void a_full_queue_with_an_out_queue_delays_only_itself(String version) throws Exception {
    try (World world = new World(SharedNodes.of(version), "NeighboursIT")) {
      world.channel().queueDelete("neighbours.full");
      String full =
          world.queue("neighbours.full", Map.of("x-max-length", 5, "x-overflow", "reject-publish"));
      String good = world.target("neighbours.healthy");
      DelayedPublisher publisher =
          world.publisher(
              world.routes().toBuilder()
                  .defaults(
                      DelayRoute.defaults().toBuilder()
                          .delays(DELAY)
                          .isolation(Isolation.DESTINATION)
                          .build())
                  .build());
      Inbox inbox = world.inbox(good);

      Instant due = Instant.now().plus(DELAY);
      List<PublishReceipt> stuck =
          Futures.all(200, i -> publisher.publish(DelayedMessage.toQueue(full).deliverAt(due)));
      List<PublishReceipt> fine =
          Futures.all(50, i -> publisher.publish(DelayedMessage.to(good, "key").deliverAt(due)));

      assertThat(Futures.outcomes(stuck)).containsOnly(CONFIRMED);
      assertOnTime(inbox.await(50, Duration.ofSeconds(20)), fine);
      PublishReceipt late =
          Futures.get(publisher.publish(DelayedMessage.to(good, "key").delay(DELAY)));
      Inbox.Arrival last = inbox.await(51, Duration.ofSeconds(10)).get(50);
      assertThat(last.id()).isEqualTo(late.id());
      assertThat(last.lateness()).isBetween(Duration.ZERO, ON_TIME);
      assertThat(world.count(full)).as("still full").isEqualTo(5);

      if (version.equals(SharedNodes.OLDEST)) {
        assertParked(world, full, stuck);
        return;
      }
      Inbox drained = world.inbox(full);
      drained.await(200, Duration.ofSeconds(40));
      assertThat(drained.ids())
          .containsExactlyInAnyOrderElementsOf(stuck.stream().map(PublishReceipt::id).toList());
    }
  }

  @Test
  void an_exchange_deleted_behind_its_out_queue_parks() throws Exception {
    try (World world = World.of(NeighboursIT.class)) {
      String target = world.target("neighbours.deleted");
      DelayRoutes routes =
          world.routes().toBuilder()
              .route(
                  DelayRoute.builder("isolated")
                      .exchange(target)
                      .isolation(Isolation.DESTINATION)
                      .build())
              .build();
      DelayedPublisher publisher = world.publisher(routes);
      world.channel().queuePurge(world.ours("unroutable"));

      List<PublishReceipt> receipts =
          Futures.all(20, i -> publisher.publish(DelayedMessage.to(target, "key").delay(DELAY)));
      world.channel().exchangeDelete(target);

      Inbox parked = world.inbox(world.ours("unroutable"));
      parked.await(20, Duration.ofSeconds(15));
      assertThat(parked.ids())
          .containsExactlyInAnyOrderElementsOf(receipts.stream().map(PublishReceipt::id).toList());
    }
  }

  /**
   * Before 3.13.1 or so the broker's second attempt to pass a rejected message on has forgotten the
   * BCC keys (rabbit_fifo_dlx_worker takes them from x-death), so it is parked instead of waiting.
   */
  private static void assertParked(World world, String full, List<PublishReceipt> stuck)
      throws Exception {
    Inbox drained = world.inbox(full);
    Inbox parked = world.inbox(world.ours("unroutable"));
    parked.await(195, Duration.ofSeconds(30));
    assertThat(
            Stream.concat(
                drained.await(5, Duration.ofSeconds(10)).stream(), parked.arrivals().stream()))
        .extracting(Inbox.Arrival::id)
        .containsExactlyInAnyOrderElementsOf(stuck.stream().map(PublishReceipt::id).toList());
  }

  private static void assertOnTime(List<Inbox.Arrival> arrivals, List<PublishReceipt> receipts) {
    assertThat(arrivals)
        .extracting(Inbox.Arrival::id)
        .containsExactlyInAnyOrderElementsOf(receipts.stream().map(PublishReceipt::id).toList());
    assertThat(arrivals)
        .allSatisfy(arrival -> assertThat(arrival.lateness()).isBetween(Duration.ZERO, ON_TIME));
  }
}
