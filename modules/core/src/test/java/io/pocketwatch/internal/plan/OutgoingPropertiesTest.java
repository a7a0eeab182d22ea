// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.plan;

import static io.pocketwatch.internal.plan.PlanFixture.ORDER;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.Headers;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Isolation;
import io.pocketwatch.config.DelayRoute.UserExpiration;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.topology.Names;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What becomes of a caller's properties. */
class OutgoingPropertiesTest {
  private static final DelayedMessage HELD = ORDER.delay(ofSeconds(90));
  private static final BasicProperties ALL =
      new BasicProperties.Builder()
          .contentType("application/json")
          .contentEncoding("gzip")
          .headers(Map.of("tenant", 7))
          .deliveryMode(1)
          .priority(3)
          .correlationId("correlation")
          .replyTo("reply.to")
          .messageId("message")
          .timestamp(new Date(1_700_000_000_000L))
          .type("type")
          .userId("guest")
          .appId("app")
          .clusterId("cluster")
          .build();

  private final PlanFixture planning = PlanFixture.with(DelayRoutes.none());

  @Test
  void what_is_held_by_its_time_carries_it_and_its_delay_as_expiration() {
    DelayRoutes routes =
        DelayRoutes.builder()
            .defaults(
                DelayRoute.defaults().toBuilder().strategy(DelayStrategy.DELIVERY_TIME).build())
            .build();

    PublishPlan plan =
        new PlanFixture(routes, PlanFixture.NATIVE).plan(ORDER.delay(ofMillis(1_500)));

    assertThat(plan.exchange()).isEqualTo("pocketwatch.native");
    assertThat(plan.routingKey()).isEqualTo("order.timeout");
    assertThat(plan.properties().getExpiration()).isEqualTo("1500");
    assertThat(plan.properties().getHeaders())
        .containsEntry("x-opt-delivery-time", plan.deliverAt().toEpochMilli())
        .containsEntry("BCC", List.of("pw-native-" + Names.nativeQueueOf("o-1"), "pw-to-orders"))
        .containsOnlyKeys("x-opt-delivery-time", Headers.EXCHANGE, "BCC");
    assertThat(plan.expiringSooner(400).properties().getExpiration()).isEqualTo("1100");
    assertThat(plan.expiringSooner(1_600).properties().getExpiration()).isEqualTo("1");
  }

  @Test
  void our_headers_say_what_the_consumer_cannot_know() {
    assertThat(headers(HELD))
        .containsEntry(Headers.DELIVER_AT, planning.accept(HELD).deliverAt().toEpochMilli())
        .containsEntry(Headers.EXCHANGE, "orders")
        .containsOnlyKeys(Headers.DELIVER_AT, Headers.EXCHANGE, "BCC");
  }

  @Test
  void what_is_to_be_sent_at_once_has_no_header_of_ours() {
    BasicProperties sent = planning.plan(ORDER.delay(Duration.ZERO)).properties();

    assertThat(sent.getHeaders()).isNull();
    assertThat(sent.getMessageId()).isEqualTo("o-1");
    assertThat(headers(ORDER.delay(Duration.ZERO).header("tenant", 7))).containsOnlyKeys("tenant");
  }

  @Test
  void what_is_due_already_says_when_it_was() {
    assertThat(headers(ORDER.deliverAt(Instant.EPOCH))).containsOnly(entry(Headers.DELIVER_AT, 0L));
  }

  @Test
  void every_property_is_sent_as_set() {
    BasicProperties sent = planning.plan(HELD.properties(ALL)).properties();

    assertThat(sent.getHeaders()).containsEntry("tenant", 7);
    assertThat(sent).usingRecursiveComparison().ignoringFields("headers").isEqualTo(ALL);
  }

  @Test
  void the_callers_objects_are_left_alone() {
    Map<String, Object> headers =
        new HashMap<>(Map.of("tenant", 7, "x-death", List.of(), "BCC", List.of("b")));
    Map<String, Object> before = Map.copyOf(headers);
    BasicProperties properties = new BasicProperties.Builder().headers(headers).build();

    BasicProperties sent = planning.plan(HELD.properties(properties)).properties();

    assertThat(sent).isNotSameAs(properties);
    assertThat(headers).isEqualTo(before);
    assertThat(properties).isEqualTo(new BasicProperties.Builder().headers(before).build());
  }

  @Test
  void the_message_id_is_set_only_where_there_is_none() {
    BasicProperties none = new BasicProperties.Builder().build();

    assertThat(planning.plan(HELD.properties(none)).properties().getMessageId()).isEqualTo("o-1");
    assertThat(planning.plan(HELD.properties(ALL)).properties().getMessageId())
        .isEqualTo("message");
    assertThat(planning.plan(HELD.properties(ALL)).id()).as("never read from it").isEqualTo("o-1");
    assertThat(headers(HELD)).doesNotContainKey(Headers.ID);
    assertThat(headers(HELD.properties(ALL))).containsEntry(Headers.ID, "o-1");
  }

  @Test
  void what_an_earlier_delay_left_is_dropped() {
    DelayedMessage received =
        HELD.properties(new BasicProperties.Builder().messageId("earlier").build())
            .header(Headers.ID, "earlier")
            .header("pocketwatch-generation", 3)
            .header("pocketwatch-anything", "x")
            .header("x-death", List.of(Map.of("queue", "pocketwatch.ttl.quorum.1")))
            .header("x-first-death-queue", "q")
            .header("x-first-death-reason", "expired")
            .header("x-last-death-exchange", "e")
            .header("x-deaths", "theirs")
            .header("Pocketwatch-id", "theirs");

    for (DelayedMessage message : List.of(received, received.delay(ofSeconds(-1)))) {
      assertThat(headers(message))
          .containsEntry(Headers.ID, "o-1")
          .containsEntry("x-deaths", "theirs")
          .containsEntry("Pocketwatch-id", "theirs")
          .doesNotContainKeys(
              "pocketwatch-generation",
              "pocketwatch-anything",
              "x-death",
              "x-first-death-queue",
              "x-first-death-reason",
              "x-last-death-exchange");
    }
  }

  @Test
  void which_occurrence_it_is_stays_under_the_id_of_that_schedule_only() {
    DelayedMessage occurrence =
        HELD.header(Headers.SCHEDULE, "daily").header(Headers.OCCURRENCE, "2027-03-28T01:00:00Z");

    assertThat(headers(occurrence.id("daily@2027-03-28T01:00:00Z")))
        .containsEntry(Headers.SCHEDULE, "daily")
        .containsEntry(Headers.OCCURRENCE, "2027-03-28T01:00:00Z");
    assertThat(headers(occurrence.id("daily-2")))
        .doesNotContainKeys(Headers.SCHEDULE, Headers.OCCURRENCE);
  }

  @Test
  void null_headers_are_kept() {
    assertThat(headers(HELD.header("nothing", null))).containsEntry("nothing", null);
  }

  @Test
  void steering_keys_come_before_the_users_in_the_order_of_their_exchanges() {
    DelayedMessage message =
        HELD.header("BCC", List.of("theirs.1", "theirs.2")).header("CC", List.of("copy"));
    DelayRoute route = DelayRoute.builder("r").exchange("orders").delays(ofSeconds(90)).build();
    PlanFixture ttl = PlanFixture.with(DelayRoutes.builder().route(route).build());
    PlanFixture isolated =
        PlanFixture.with(
            DelayRoutes.builder()
                .route(route.toBuilder().isolation(Isolation.DESTINATION).build())
                .build());

    assertThat(PlanFixture.bcc(planning.plan(message)))
        .containsExactly(
            "pw-1m-1", "pw-1s-30", "pw-10ms-0", "pw-to-orders", "theirs.1", "theirs.2");
    assertThat(PlanFixture.bcc(ttl.plan(message)))
        .containsExactly("pw-ttl-90000", "pw-to-orders", "theirs.1", "theirs.2");
    assertThat(PlanFixture.bcc(isolated.plan(message)))
        .containsExactly("pw-ttl-90000", "pw-out-orders", "pw-via-orders", "theirs.1", "theirs.2");
    PublishPlan temporary = planning.plan(message.strategy(DelayStrategy.TEMPORARY_QUEUE));
    assertThat(PlanFixture.bcc(temporary))
        .containsExactly("pw-tmp-o-1-" + millis(temporary), "theirs.1", "theirs.2");
    assertThat(headers(message)).containsEntry("CC", List.of("copy"));
  }

  @Test
  void what_is_not_held_keeps_the_users_keys_only() {
    DelayedMessage due = ORDER.header("BCC", List.of("theirs")).header("CC", List.of("copy"));

    assertThat(headers(due))
        .containsEntry("BCC", List.of("theirs"))
        .containsEntry("CC", List.of("copy"));
    assertThat(planning.plan(due).exchange()).isEqualTo("orders");
    assertThat(planning.plan(due).routingKey()).isEqualTo("order.timeout");
  }

  @Test
  void a_temporary_queue_for_one_key_needs_no_steering() {
    DelayedMessage message = HELD.strategy(DelayStrategy.TEMPORARY_QUEUE);
    PublishPlan plan = planning.plan(message);

    assertThat(plan.properties().getHeaders()).doesNotContainKey("BCC");
    assertThat(plan.exchange()).isEmpty();
    assertThat(plan.routingKey()).isEqualTo("pocketwatch.temporary.o-1-" + millis(plan));
    PublishPlan withoutCopies = planning.plan(message.header("CC", List.of()));
    assertThat(withoutCopies.routingKey())
        .isEqualTo("pocketwatch.temporary.o-1-" + millis(withoutCopies));
  }

  @Test
  void a_message_sent_again_for_another_instant_has_another_temporary_queue() {
    DelayedMessage message = HELD.strategy(DelayStrategy.TEMPORARY_QUEUE);

    assertThat(planning.plan(message.delay(ofSeconds(91))).routingKey())
        .isNotEqualTo(planning.plan(message).routingKey());
  }

  private static long millis(PublishPlan plan) {
    return plan.deliverAt().toEpochMilli();
  }

  @Test
  void the_users_key_travels_as_the_routing_key_of_every_shared_hold() {
    PublishPlan plan = planning.plan(HELD);

    assertThat(plan.exchange()).isEqualTo("pocketwatch.wheel.quorum.1m");
    assertThat(plan.routingKey()).isEqualTo("order.timeout");
  }

  @Test
  void the_plugin_is_told_the_delay_in_whole_milliseconds() {
    DelayRoute asking =
        DelayRoute.builder("r").exchange("orders").strategy(DelayStrategy.DELAYED_EXCHANGE).build();
    PlanFixture plugin =
        new PlanFixture(DelayRoutes.builder().route(asking).build(), PlanFixture.WITH_PLUGIN);

    PublishPlan plan = plugin.plan(HELD.header("x-delay", 5));

    assertThat(plan.exchange()).isEqualTo("pocketwatch.delayed");
    assertThat(plan.properties().getHeaders()).containsEntry("x-delay", 90_000L);
    assertThat(PlanFixture.bcc(plan)).containsExactly("pw-to-orders");
    assertThat(plugin.planAfter(ofMillis(1), HELD).properties().getHeaders())
        .containsEntry("x-delay", 89_999L);
  }

  @Test
  void an_expiration_is_dropped_where_the_route_says_so() {
    DelayRoute dropping =
        DelayRoute.builder("r").exchange("orders").userExpiration(UserExpiration.DROP).build();
    PlanFixture drop = PlanFixture.with(DelayRoutes.builder().route(dropping).build());
    BasicProperties expiring = ALL.builder().expiration("60000").build();

    assertThat(drop.plan(HELD.properties(expiring)).properties().getExpiration()).isNull();
    assertThat(drop.plan(ORDER.properties(expiring)).properties().getExpiration())
        .as("nothing holds it, so it survives")
        .isEqualTo("60000");
    assertThat(drop.plan(HELD.properties(expiring).delay(ofMinutes(1))).properties())
        .usingRecursiveComparison()
        .ignoringFields("headers", "expiration")
        .isEqualTo(expiring);
  }

  private Map<String, Object> headers(DelayedMessage message) {
    return planning.plan(message).properties().getHeaders();
  }
}
