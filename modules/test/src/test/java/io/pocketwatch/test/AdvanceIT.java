// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.test;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedDelivery;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.HoldOptions.NativeMode;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.handoff.HandOff.Prepared;
import io.pocketwatch.internal.topology.HoldFamily;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import io.pocketwatch.tracking.TrackedPublisher;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("ci")
class AdvanceIT {
  @RegisterExtension static final PocketwatchExtension POCKETWATCH = new PocketwatchExtension();

  private static final DelayRoutes ROUTES =
      DelayRoutes.builder()
          .route(
              DelayRoute.builder("mail")
                  .exchange("")
                  .routingKey("mail")
                  .delays(ofMinutes(30))
                  .build())
          .build();

  private static final DelayedMessage ORDER = DelayedMessage.to("orders", "order.timeout");

  private Connection connection;
  private Channel channel;

  @BeforeEach
  void declare() throws Exception {
    connection = POCKETWATCH.connectionFactory().newConnection("test");
    channel = connection.createChannel();
    channel.exchangeDeclare("orders", "topic", true);
    channel.queueDeclare("mail", true, false, false, Map.of());
    channel.queueDeclare("timeouts", true, false, false, Map.of());
    channel.queueBind("timeouts", "orders", "order.*");
  }

  @AfterEach
  void close() throws Exception {
    channel.queuePurge("mail");
    channel.queuePurge("timeouts");
    connection.close();
  }

  private static DelayedPublisher publisher() {
    return DelayedPublisher.builder(POCKETWATCH.connectionFactory()).routes(ROUTES).build();
  }

  private static PublishReceipt send(DelayedPublisher publisher, DelayedMessage message) {
    PublishReceipt receipt = publisher.publish(message).join();
    assertThat(receipt.confirmed()).as(receipt.detail()).isTrue();
    return receipt;
  }

  @ParameterizedTest
  @EnumSource(names = {"TTL_QUEUE", "QUEUE_WHEEL", "TEMPORARY_QUEUE"})
  void what_is_due_within_the_time_is_delivered_now_and_what_is_not_waits(DelayStrategy strategy)
      throws Exception {
    try (DelayedPublisher publisher = publisher()) {
      TestTime pocketwatch = POCKETWATCH.time(publisher);
      // The first to a target waits until that is bound, and a TTL queue does not make up for it.
      send(publisher, DelayedMessage.toQueue("mail").delay(Duration.ofDays(30)));
      Instant before = Instant.now();
      PublishReceipt receipt =
          send(
              publisher,
              DelayedMessage.toQueue("mail")
                  .id("m-1")
                  .header("tenant", 7)
                  .body("hello")
                  .strategy(strategy)
                  .delay(ofMinutes(30)));
      assertThat(receipt.strategy()).isEqualTo(strategy);

      assertThat(pocketwatch.advance(ofMinutes(29))).isZero();
      assertThat(channel.basicGet("mail", true)).isNull();
      assertThat(pocketwatch.advance(ofMinutes(1))).isOne();

      GetResponse got = arrived("mail");
      DelayedDelivery delivery =
          DelayedDelivery.of(got.getEnvelope(), got.getProps()).orElseThrow();
      assertThat(new String(got.getBody(), StandardCharsets.UTF_8)).isEqualTo("hello");
      assertThat(got.getProps().getHeaders()).containsEntry("tenant", 7);
      assertThat(delivery.id()).isEqualTo("m-1");
      assertThat(delivery.routingKey()).isEqualTo("mail");
      assertThat(delivery.deliverAt())
          .as("as if it had been sent half an hour ago")
          .isEqualTo(receipt.deliverAt().minus(ofMinutes(30)))
          .isBetween(before.minus(ofMillis(1)), Instant.now());
      assertThat(pocketwatch.advance(ofMinutes(60))).isZero();
      assertThat(channel.basicGet("mail", true)).isNull();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"QUEUE_WHEEL", "TEMPORARY_QUEUE"})
  void an_exchange_routes_it_by_its_own_key(DelayStrategy strategy) throws Exception {
    try (DelayedPublisher publisher = publisher()) {
      TestTime pocketwatch = POCKETWATCH.time(publisher);
      DelayedMessage order = DelayedMessage.to("orders", "order.timeout").strategy(strategy);
      send(publisher, order.body("plain").delay(ofMinutes(10)));
      send(
          publisher, order.body("copied").header("CC", List.of("order.copy")).delay(ofMinutes(20)));

      assertThat(pocketwatch.advance(ofMinutes(30))).isEqualTo(2);

      GetResponse plain = arrived("timeouts");
      assertThat(plain.getEnvelope().getExchange()).isEqualTo("orders");
      assertThat(plain.getEnvelope().getRoutingKey()).isEqualTo("order.timeout");
      assertThat(new String(plain.getBody(), StandardCharsets.UTF_8)).isEqualTo("plain");
      assertThat(arrived("timeouts").getProps().getHeaders()).containsKey("CC");
    }
  }

  @Test
  void what_is_due_comes_in_the_order_of_its_time_and_later_messages_are_not_concerned()
      throws Exception {
    try (DelayedPublisher publisher = publisher()) {
      TestTime pocketwatch = POCKETWATCH.time(publisher);
      for (Duration delay : List.of(ofMinutes(90), ofMinutes(7), ofSeconds(75), ofMinutes(1_500))) {
        send(publisher, DelayedMessage.toQueue("mail").body(delay.toString()).delay(delay));
      }
      assertThat(pocketwatch.advance(ofMinutes(100))).isEqualTo(3);
      send(publisher, DelayedMessage.toQueue("mail").body("later").delay(ofMinutes(5)));
      assertThat(pocketwatch.advance(ofMinutes(4))).isZero();

      List<String> bodies = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        bodies.add(new String(arrived("mail").getBody(), StandardCharsets.UTF_8));
      }
      assertThat(bodies).containsExactly("PT1M15S", "PT7M", "PT1H30M");
      assertThat(channel.basicGet("mail", true)).isNull();
      assertThat(pocketwatch.advance(ofMinutes(1))).isOne();
      assertThat(pocketwatch.advance(ofMinutes(1_395))).isOne();
    }
  }

  /** What is moved and not due is held anew: real time goes on for it. */
  @Test
  void what_is_left_of_a_delay_passes_by_itself() throws Exception {
    try (DelayedPublisher publisher = publisher()) {
      Instant sent = Instant.now();
      send(publisher, DelayedMessage.toQueue("mail").delay(ofMinutes(30).plusSeconds(2)));
      POCKETWATCH.time(publisher).advance(ofMinutes(30));
      arrived("mail");
      assertThat(Instant.now()).isAfterOrEqualTo(sent.plusSeconds(2));
    }
  }

  @Test
  void one_in_a_temporary_queue_is_cancelled_by_its_new_instant() {
    try (DelayedPublisher publisher = publisher()) {
      TestTime pocketwatch = POCKETWATCH.time(publisher);
      PublishReceipt receipt =
          send(
              publisher,
              DelayedMessage.toQueue("mail")
                  .strategy(DelayStrategy.TEMPORARY_QUEUE)
                  .delay(ofMinutes(60)));
      pocketwatch.advance(ofMinutes(30));

      assertThat(publisher.cancel(receipt).join()).isEqualTo(ChangeOutcome.UNKNOWN);
      assertThat(publisher.cancel(receipt.id(), receipt.deliverAt().minus(ofMinutes(30))).join())
          .isEqualTo(ChangeOutcome.DONE);
      assertThat(pocketwatch.advance(ofMinutes(60))).isZero();
    }
  }

  @Test
  void a_message_without_a_target_is_named_and_stays() throws Exception {
    try (DelayedPublisher publisher = publisher()) {
      TestTime pocketwatch = POCKETWATCH.time(publisher);
      channel.queueDeclare("gone", true, false, false, Map.of());
      send(publisher, DelayedMessage.toQueue("gone").id("lost").delay(ofMinutes(30)));
      send(publisher, DelayedMessage.toQueue("mail").id("found").delay(ofMinutes(30)));
      channel.queueDelete("gone");

      assertThatIllegalStateException()
          .isThrownBy(() -> pocketwatch.advance(ofMinutes(30)))
          .withMessageContaining("lost");
      assertThat(arrived("mail").getProps().getMessageId()).isEqualTo("found");
      channel.queueDeclare("gone", true, false, false, Map.of());
      assertThat(pocketwatch.advance(ofMinutes(30))).isOne();
      assertThat(arrived("gone").getProps().getMessageId()).isEqualTo("lost");
    }
  }

  @Test
  void what_the_broker_holds_by_itself_is_said_not_to_move() throws Exception {
    DelayRoutes routes =
        DelayRoutes.builder()
            .hold(HoldOptions.builder().namePrefix("native").nativeMode(NativeMode.AUTO).build())
            .build();
    try (DelayedPublisher publisher =
        DelayedPublisher.builder(POCKETWATCH.connectionFactory()).routes(routes).build()) {
      channel.confirmSelect();
      channel.basicPublish("", "native.native.0", null, new byte[0]);
      channel.waitForConfirmsOrDie(10_000);
      assertThatIllegalStateException()
          .isThrownBy(() -> POCKETWATCH.time(publisher).advance(ofMinutes(1)))
          .withMessageContaining("DELIVERY_TIME");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"TTL_QUEUE", "QUEUE_WHEEL", "TEMPORARY_QUEUE"})
  void what_is_cleared_does_not_come(DelayStrategy strategy) throws Exception {
    try (DelayedPublisher publisher = publisher()) {
      TestTime pocketwatch = POCKETWATCH.time(publisher);
      DelayedMessage message = DelayedMessage.toQueue("mail").strategy(strategy);
      send(publisher, message.delay(ofMinutes(30)));
      assertThat(pocketwatch.waiting()).containsPattern("in queue \\S+: 1");
      pocketwatch.clear();
      assertThat(pocketwatch.waiting()).isEqualTo("nothing waits");
      assertThat(pocketwatch.advance(ofMinutes(30))).isZero();

      send(publisher, message.id("next").delay(ofMinutes(30)));
      assertThat(pocketwatch.advance(ofMinutes(30))).isOne();
      assertThat(arrived("mail").getProps().getMessageId()).isEqualTo("next");
      assertThat(channel.basicGet("mail", true)).isNull();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"FULL", "HANDOFF"})
  void what_is_stored_is_cleared_and_its_ids_are_free(Tracking tracking) throws Exception {
    try (Stored stored = new Stored(tracked(tracking))) {
      TestTime pocketwatch = POCKETWATCH.time(stored.publisher());
      send(stored.publisher(), ORDER.id("o-1").delay(ofMinutes(30)));
      send(stored.publisher(), ORDER.id("o-2").delay(ofMinutes(60)));
      assertThat(pocketwatch.advance(ofMinutes(30))).as(pocketwatch::waiting).isOne();
      arrived("timeouts");
      assertThat(pocketwatch.waiting()).contains("in the store: timeouts/o-2, waiting, due ");

      pocketwatch.clear();

      assertThat(pocketwatch.advance(ofMinutes(60))).isZero();
      for (String id : List.of("o-1", "o-2")) {
        assertThat(stored.publisher().store().find(new MessageKey("timeouts", id))).isEmpty();
        send(stored.publisher(), ORDER.id(id).delay(ofMinutes(10)));
      }
      assertThat(pocketwatch.advance(ofMinutes(10))).isEqualTo(2);
      arrived("timeouts");
      arrived("timeouts");
    }
  }

  @Test
  void a_time_that_cannot_pass_is_refused() {
    try (DelayedPublisher publisher = publisher()) {
      TestTime pocketwatch = TestTime.of(publisher, POCKETWATCH.connectionFactory());
      for (Duration wrong : List.of(Duration.ZERO, ofMinutes(-1), Duration.ofDays(4_000))) {
        assertThatIllegalArgumentException()
            .isThrownBy(() -> pocketwatch.advance(wrong))
            .withMessageContaining("allowed: 1 ms to 3653 days");
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"FULL", "HANDOFF"})
  void what_is_stored_is_moved_with_the_rest(Tracking tracking) throws Exception {
    try (Stored stored = new Stored(tracked(tracking))) {
      TrackedPublisher publisher = stored.publisher();
      TestTime pocketwatch = POCKETWATCH.time(publisher);
      send(publisher, ORDER.id("o-1").delay(ofMinutes(30)));
      send(publisher, ORDER.id("o-2").delay(ofMinutes(60)));
      send(publisher, DelayedMessage.toQueue("mail").delay(ofMinutes(30)));

      assertThat(pocketwatch.advance(ofMinutes(29))).isZero();
      assertThat(pocketwatch.advance(ofMinutes(1))).isEqualTo(2);

      assertThat(arrived("timeouts").getProps().getMessageId()).isEqualTo("o-1");
      arrived("mail");
      assertThat(channel.basicGet("timeouts", true)).isNull();
      assertThat(publisher.store().cancel(new MessageKey("timeouts", "o-2")))
          .isEqualTo(tracking == Tracking.FULL ? ChangeOutcome.DONE : ChangeOutcome.TOO_LATE);
      assertThat(pocketwatch.advance(ofMinutes(30))).isEqualTo(tracking == Tracking.FULL ? 0 : 1);
    }
  }

  /** Claimed when it is inserted: it is due within two seconds. */
  @Test
  void what_the_store_has_claimed_is_due_too_and_comes_once() throws Exception {
    try (Stored stored = new Stored(tracked(Tracking.FULL))) {
      TestTime pocketwatch = POCKETWATCH.time(stored.publisher());
      assertThat(pocketwatch.advance(ofMinutes(1))).isZero();
      PublishReceipt receipt = send(stored.publisher(), ORDER.id("o-1").delay(ofMillis(1_900)));

      assertThat(pocketwatch.advance(ofSeconds(2))).isOne();
      assertThat(pocketwatch.advance(ofSeconds(2))).isZero();

      DelayedDelivery delivery = delivery(arrived("timeouts"));
      assertThat(delivery.deliverAt()).as("as it was claimed").isEqualTo(receipt.deliverAt());
      await().until(() -> stored.state("o-1") == MessageState.HELD);
      assertThat(channel.basicGet("timeouts", true)).isNull();
    }
  }

  @Test
  void what_is_on_its_way_to_its_hold_queue_is_waited_for() throws Exception {
    try (Stored stored = new Stored(tracked(Tracking.HANDOFF))) {
      TestTime pocketwatch = POCKETWATCH.time(stored.publisher());
      assertThat(pocketwatch.advance(ofMinutes(1))).isZero();
      HandOff handOff = stored.publisher().unwrap(HandOff.class);
      Prepared prepared = handOff.prepare(ORDER.id("o-1").delay(ofMinutes(30)));
      stored.publisher().store().insert(List.of(prepared.row()), prepared.lease());
      assertThatIllegalStateException()
          .isThrownBy(() -> StoredMessages.awaitHandOffs(stored.publisher(), ofMillis(50)))
          .withMessage(
              "time cannot be moved: after 50ms, this many messages are still on their way from"
                  + " the store to a hold queue: 1");

      CompletableFuture<Integer> moved =
          CompletableFuture.supplyAsync(() -> pocketwatch.advance(ofMinutes(30)));
      assertThat(moved).failsWithin(ofSeconds(1)).withThrowableOfType(TimeoutException.class);
      handOff.committed(prepared);

      assertThat(moved).succeedsWithin(ofSeconds(30)).isEqualTo(1);
      assertThat(delivery(arrived("timeouts")).id()).isEqualTo("o-1");
    }
  }

  @Test
  void a_hold_queue_that_is_not_there_is_empty() throws Exception {
    DelayRoutes routes =
        DelayRoutes.builder()
            .hold(HoldOptions.builder().namePrefix("part").build())
            .route(
                DelayRoute.builder("mail")
                    .exchange("")
                    .routingKey("mail")
                    .delays(ofMinutes(30), ofMinutes(60))
                    .build())
            .build();
    try (DelayedPublisher publisher =
        DelayedPublisher.builder(POCKETWATCH.connectionFactory()).routes(routes).build()) {
      send(publisher, DelayedMessage.toQueue("mail").delay(ofMinutes(30)));
      channel.queueDelete(new Names("part").ttlQueue(HoldFamily.QUORUM, ofMinutes(60)));

      assertThat(POCKETWATCH.time(publisher).advance(ofMinutes(30))).isOne();
    }
  }

  private static DelayRoutes tracked(Tracking tracking) {
    return DelayRoutes.builder()
        .route(
            DelayRoute.builder("timeouts")
                .exchange("orders")
                .routingKey("order.timeout")
                .tracking(tracking)
                .build())
        .build();
  }

  private static DelayedDelivery delivery(GetResponse got) {
    return DelayedDelivery.of(got.getEnvelope(), got.getProps()).orElseThrow();
  }

  /** A store in memory, a publisher and a loader. */
  private static final class Stored implements AutoCloseable {
    private final JdbcConnectionPool dataSource =
        JdbcConnectionPool.create("jdbc:h2:mem:" + UUID.randomUUID(), "sa", "");

    private final TrackedPublisher publisher;
    private final Loader loader;

    Stored(DelayRoutes routes) {
      JdbcSchema.create(dataSource);
      publisher =
          DelayedPublisher.builder(POCKETWATCH.connectionFactory())
              .routes(routes)
              .build(TrackedPublisher.with(JdbcDelayStore.builder(dataSource).build()));
      loader = new Loader(publisher);
      loader.start();
    }

    TrackedPublisher publisher() {
      return publisher;
    }

    MessageState state(String id) {
      return publisher.store().find(new MessageKey("timeouts", id)).orElseThrow().state();
    }

    @Override
    public void close() {
      loader.close();
      publisher.close();
      dataSource.dispose();
    }
  }

  /** A try that has failed waits on the broker, or with tracking in its row. */
  @ParameterizedTest
  @EnumSource(names = {"NONE", "FULL"})
  void the_next_try_is_moved_too(Tracking tracking) throws Exception {
    DelayRoutes routes =
        DelayRoutes.builder()
            .route(
                DelayRoute.builder("timeouts")
                    .exchange("orders")
                    .routingKey("order.timeout")
                    .tracking(tracking)
                    .retries(ofMinutes(10))
                    .build())
            .build();
    BlockingQueue<Integer> attempts = new LinkedBlockingQueue<>();
    try (Stored stored = new Stored(routes);
        DeliveryGuard guard = DeliveryGuard.of(stored.publisher(), GuardOptions.defaults())) {
      guard.consume(
          connection.createChannel(),
          "timeouts",
          delivery -> {
            attempts.add(delivery.attempt());
            throw new IllegalStateException("not today");
          });
      TestTime pocketwatch = POCKETWATCH.time(stored.publisher());
      send(stored.publisher(), DelayedMessage.to("orders", "order.timeout").delay(ofMinutes(30)));

      assertThat(pocketwatch.advance(ofMinutes(30))).isOne();
      assertThat(attempts.poll(10, TimeUnit.SECONDS)).isEqualTo(1);
      await().atMost(ofSeconds(10)).until(() -> pocketwatch.advance(ofMinutes(10)) == 1);
      assertThat(attempts.poll(10, TimeUnit.SECONDS)).isEqualTo(2);
    }
  }

  private GetResponse arrived(String queue) {
    return await()
        .atMost(ofSeconds(10))
        .pollDelay(Duration.ZERO)
        .pollInterval(ofMillis(20))
        .until(() -> channel.basicGet(queue, true), got -> got != null);
  }
}
