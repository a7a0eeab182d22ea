// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.rows;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedDelivery;
import io.pocketwatch.Headers;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Isolation;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.plan.DelayPlanner;
import io.pocketwatch.internal.plan.DeliveryTime;
import io.pocketwatch.internal.plan.PublishPlan;
import io.pocketwatch.internal.topology.Destination.Way;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a received message that goes back to its queue keeps. */
class RequeuedHoldTest {
  private static final Instant UNTIL = PlanFixture.NOW.plusSeconds(20);
  private static final Map<String, Object> OURS =
      Map.of(
          Headers.ID, "o-1",
          Headers.ROUTE, "timeouts",
          Headers.GENERATION, 3,
          Headers.DELIVER_AT, 1_700_000_000_000L,
          Headers.EXCHANGE, "orders");
  private static final DelayRoutes ROUTES =
      DelayRoutes.builder()
          .route(
              DelayRoute.builder("timeouts")
                  .exchange("orders")
                  .tracking(Tracking.FULL)
                  .isolation(Isolation.DESTINATION)
                  .build())
          .build();

  @Test
  void goes_to_its_queue_alone_and_keeps_what_names_its_row() {
    PublishPlan plan = plan(received(Map.of("CC", List.of("other"), "tenant", 7)), ROUTES);

    assertThat(plan.strategy()).isEqualTo(DelayStrategy.QUEUE_WHEEL);
    assertThat(plan.routingKey()).isEqualTo("work");
    assertThat(plan.destinations()).hasSize(1);
    assertThat(plan.destinations().get(0).queue()).isEqualTo("work");
    assertThat(plan.properties().getHeaders())
        .containsAllEntriesOf(OURS)
        .containsEntry("tenant", 7)
        .containsEntry(Headers.ROUTING_KEY, "order.timeout")
        .doesNotContainKeys("CC");
    assertThat(plan.properties().getMessageId()).isNull();
  }

  /** Its sender was another than the consumer that holds it again, as the broker will notice. */
  @Test
  void comes_without_the_user_id_of_another() {
    assertThat(plan(from("shop"), ROUTES).properties().getUserId()).isNull();
    assertThat(plan(from("guest"), ROUTES).properties().getUserId()).isEqualTo("guest");
  }

  @Test
  void a_full_queue_of_an_isolated_route_holds_up_nobody_else() {
    assertThat(plan(received(Map.of()), ROUTES).destinations().get(0).way())
        .isEqualTo(Way.OUT_QUEUE);
    assertThat(plan(received(Map.of()), DelayRoutes.none()).destinations().get(0).way())
        .isEqualTo(Way.SHARED);
  }

  @Test
  void dead_letter_headers_and_expiration_are_left_out() {
    Delivery received = received(Map.of("x-death", List.of(), "x-first-death-queue", "q"));

    BasicProperties sent = plan(received, ROUTES).properties();

    assertThat(sent.getHeaders()).doesNotContainKeys("x-death", "x-first-death-queue");
    assertThat(sent.getExpiration()).isNull();
  }

  /** Somebody may have published it past us; in a hold queue it would count once more. */
  @Test
  void the_brokers_own_instant_of_delivery_never_comes_into_a_hold_queue() {
    Delivery received = received(Map.of(DeliveryTime.HEADER, Long.MAX_VALUE));

    PublishPlan plan = plan(received, ROUTES);

    assertThat(plan.deliverAt()).isEqualTo(UNTIL.plusNanos(544_000));
    assertThat(plan.properties().getHeaders()).doesNotContainKey(DeliveryTime.HEADER);
  }

  @Test
  void what_was_held_by_its_time_keeps_it_when_it_is_held_again() {
    Map<String, Object> headers = new HashMap<>(OURS);
    headers.put(DeliveryTime.HEADER, headers.remove(Headers.DELIVER_AT));
    Delivery received =
        new Delivery(
            new Envelope(1, false, "orders", "order.timeout"),
            new BasicProperties.Builder().headers(headers).build(),
            new byte[] {1});

    for (Delivery each : List.of(received, RequeuedHold.deferred(received, UNTIL, true))) {
      assertThat(plan(each, ROUTES).properties().getHeaders())
          .containsAllEntriesOf(OURS)
          .doesNotContainKey(DeliveryTime.HEADER);
    }
  }

  @Test
  void its_handler_sees_it_as_it_was_however_often_it_was_held() {
    Delivery received = received(Map.of("CC", List.of("other"), "tenant", 7));
    Delivery once = arrived(plan(received, ROUTES));
    Delivery twice = arrived(plan(once, ROUTES));

    for (Delivery copy : List.of(once, twice)) {
      Delivery restored = RequeuedHold.restore(copy);
      assertThat(restored.getEnvelope().getExchange()).isEqualTo("orders");
      assertThat(restored.getEnvelope().getRoutingKey()).isEqualTo("order.timeout");
      assertThat(restored.getEnvelope().getDeliveryTag()).isEqualTo(9);
      assertThat(restored.getProperties().getHeaders())
          .isEqualTo(received.getProperties().getHeaders());
    }
  }

  /** The broker's return of a copy is known by the id; without one it would pass for confirmed. */
  @Test
  void a_message_of_somebody_else_has_an_id_only_while_it_is_held() {
    Delivery received =
        new Delivery(
            new Envelope(1, false, "orders", "order.timeout"),
            new BasicProperties.Builder().headers(Map.of("tenant", 7)).build(),
            new byte[] {1});
    PublishPlan one = plan(received, ROUTES);
    PublishPlan other = plan(received, ROUTES);

    assertThat(one.properties().getHeaders()).containsEntry(Headers.ID, one.id());
    assertThat(one.id()).isNotEqualTo(other.id());
    assertThat(RequeuedHold.restore(arrived(one)).getProperties().getHeaders())
        .containsEntry("tenant", 7)
        .doesNotContainKey(Headers.ID);
  }

  /** One of ours that was not delayed is no different; their ids may be the same for many. */
  @Test
  void a_message_id_alone_is_not_what_the_return_of_the_copy_is_known_by() {
    BasicProperties properties = new BasicProperties.Builder().messageId("m").build();
    Delivery received =
        new Delivery(new Envelope(1, false, "orders", "order.timeout"), properties, new byte[] {1});
    PublishPlan plan = plan(received, ROUTES);
    Delivery again = RequeuedHold.restore(arrived(plan));

    assertThat(plan.id()).isNotEqualTo("m");
    assertThat(Headers.id(plan.properties())).isEqualTo(plan.id());
    assertThat(Headers.id(again.getProperties())).isEqualTo("m");
  }

  @Test
  void a_delayed_message_keeps_its_id_where_it_is() {
    Map<String, Object> headers = new HashMap<>(OURS);
    headers.remove(Headers.ID);
    BasicProperties properties =
        new BasicProperties.Builder().headers(headers).messageId("o-2").build();
    PublishPlan plan =
        plan(
            new Delivery(new Envelope(1, false, "orders", "key"), properties, new byte[] {1}),
            ROUTES);

    assertThat(plan.id()).isEqualTo("o-2");
    assertThat(plan.properties().getHeaders()).doesNotContainKey(Headers.ID);
  }

  @Test
  void what_is_deferred_counts_its_attempts_and_of_those_the_retries() {
    Delivery first = RequeuedHold.deferred(received(Map.of()), UNTIL, false);
    Delivery second = RequeuedHold.deferred(first, UNTIL.plusSeconds(1), true);

    assertThat(RequeuedHold.attempts(second.getProperties())).isEqualTo(2);
    assertThat(RequeuedHold.retries(second.getProperties())).isEqualTo(1);
    assertThat(RequeuedHold.notBefore(second.getProperties()))
        .isEqualTo(DelayPlanner.wholeMillis(UNTIL.plusSeconds(1)));
    assertThat(second.getProperties().getHeaders()).containsAllEntriesOf(OURS);
    assertThat(RequeuedHold.route(second, ROUTES).name()).isEqualTo("timeouts");
  }

  @Test
  void what_was_never_delayed_is_a_delayed_message_from_its_first_deferral_on() {
    for (String messageId : Arrays.asList("m", null)) {
      Delivery received =
          new Delivery(
              new Envelope(1, false, "orders", "key"),
              new BasicProperties.Builder().messageId(messageId).build(),
              new byte[] {1});
      Delivery again =
          RequeuedHold.restore(
              arrived(plan(RequeuedHold.deferred(received, UNTIL, false), ROUTES)));

      DelayedDelivery delayed = DelayedDelivery.of(again).orElseThrow();
      assertThat(delayed.deliverAt()).isEqualTo(DelayPlanner.wholeMillis(UNTIL));
      assertThat(delayed.routingKey()).isEqualTo("key");
      if (messageId != null) {
        assertThat(delayed.id()).isEqualTo(messageId);
      }
    }
  }

  @Test
  void a_count_that_somebody_made_up_is_kept_within_reason() {
    for (Object made : List.of(Long.MAX_VALUE, -5, "seven")) {
      BasicProperties properties = received(Map.of(Headers.ATTEMPTS, made)).getProperties();
      assertThat(RequeuedHold.attempts(properties)).isBetween(0, 1_000_000);
    }
  }

  @Test
  void any_other_message_is_left_as_it_is() {
    Delivery received = received(Map.of());

    assertThat(RequeuedHold.restore(received)).isSameAs(received);
  }

  private static PublishPlan plan(Delivery received, DelayRoutes routes) {
    return new DelayPlanner(routes, PlanFixture.PLAIN)
        .plan(
            RequeuedHold.submission("work", received, UNTIL, PlanFixture.NOW, routes),
            PlanFixture.NOW);
  }

  private static Delivery received(Map<String, Object> headers) {
    Map<String, Object> all = new HashMap<>(OURS);
    all.putAll(headers);
    return new Delivery(
        new Envelope(1, false, "orders", "order.timeout"),
        new BasicProperties.Builder().headers(all).expiration("500").build(),
        new byte[] {1});
  }

  private static Delivery from(String userId) {
    Delivery received = received(Map.of());
    return new Delivery(
        received.getEnvelope(),
        received.getProperties().builder().userId(userId).build(),
        received.getBody());
  }

  /** As the broker delivers it: without its hidden keys. */
  private static Delivery arrived(PublishPlan plan) {
    Map<String, Object> headers = new HashMap<>(plan.properties().getHeaders());
    headers.remove("BCC");
    return new Delivery(
        new Envelope(9, false, "pocketwatch.queues", plan.routingKey()),
        plan.properties().builder().headers(headers).build(),
        new byte[] {1});
  }
}
