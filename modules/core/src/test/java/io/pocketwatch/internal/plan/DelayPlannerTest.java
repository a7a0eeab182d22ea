// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.plan;

import static io.pocketwatch.internal.plan.PlanFixture.NOW;
import static io.pocketwatch.internal.plan.PlanFixture.ORDER;
import static io.pocketwatch.internal.plan.PlanFixture.WITH_PLUGIN;
import static io.pocketwatch.internal.plan.PlanFixture.hold;
import static java.time.Duration.ZERO;
import static java.time.Duration.between;
import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.Headers;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.PublishReceipt.Cause;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Isolation;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.topology.Destination;
import io.pocketwatch.internal.topology.Destination.Way;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class DelayPlannerTest {
  private static final Instant MILLISECOND_OF_NOW = Instant.parse("2026-03-01T10:15:30.123Z");
  private static final long LONGEST_NANOS = 31L * 24 * 3_600 * 1_000_000_000;
  private static final DelayRoutes ROUTES =
      DelayRoutes.builder()
          .route(
              DelayRoute.builder("orders").exchange("orders").defaultDelay(ofMinutes(30)).build())
          .route(
              DelayRoute.builder("timeouts")
                  .exchange("orders")
                  .routingKey("order.timeout")
                  .delays(ofHours(1))
                  .build())
          .route(
              DelayRoute.builder("mail")
                  .routingKey("mail")
                  .isolation(Isolation.DESTINATION)
                  .build())
          .route(
              DelayRoute.builder("plugin")
                  .exchange("x")
                  .strategy(DelayStrategy.DELAYED_EXCHANGE)
                  .build())
          .build();

  private final PlanFixture planning = new PlanFixture(ROUTES, WITH_PLUGIN);

  @Test
  void the_delivery_time_of_an_earlier_life_asks_for_nothing() {
    DelayedMessage received =
        ORDER
            .header(Headers.EXCHANGE, "orders")
            .header("x-opt-delivery-time", NOW.plusMillis(900).toEpochMilli()); // of another clock

    PublishPlan plan = planning.plan(received.delay(ofSeconds(5)));

    assertThat(plan.strategy()).isEqualTo(DelayStrategy.QUEUE_WHEEL);
    assertThat(plan.properties().getHeaders()).doesNotContainKey("x-opt-delivery-time");
    for (Instant later : List.of(NOW.plusMillis(500), NOW.plusSeconds(60))) {
      DelayedMessage asked = received.header("x-opt-delivery-time", later.toEpochMilli());
      assertThat(planning.plan(asked).deliverAt())
          .isEqualTo(Instant.ofEpochMilli(later.toEpochMilli()));
    }
  }

  @Test
  void the_most_specific_route_matches() {
    assertThat(planning.plan(ORDER).submission().route().name()).isEqualTo("timeouts");
    assertThat(planning.plan(DelayedMessage.to("orders", "other")).submission().route().name())
        .isEqualTo("orders");
    assertThat(planning.plan(DelayedMessage.toQueue("mail")).submission().route().name())
        .isEqualTo("mail");
    assertThat(planning.plan(DelayedMessage.to("unheard.of", "k")).submission().route().name())
        .isEqualTo("defaults");
  }

  @Test
  void a_named_route_matches_whatever_the_target() {
    assertThat(planning.plan(ORDER.route("mail")).submission().route().name()).isEqualTo("mail");
    assertThat(planning.plan(ORDER.route("defaults")).submission().route().name())
        .isEqualTo("defaults");
    planning
        .refused(ORDER.route("mial"))
        .withMessage(
            "message o-1: there is no route 'mial'; configured:"
                + " [orders, timeouts, mail, plugin]");
  }

  @Test
  void the_routes_default_delay_applies_where_the_message_has_none() {
    DelayedMessage bare = DelayedMessage.to("orders", "other");

    assertThat(planning.accept(bare).delay()).isEqualTo(ofMinutes(30));
    assertThat(hold(planning.plan(bare))).isEqualTo(ofMinutes(30));
    assertThat(planning.plan(bare.delay(ZERO)).strategy()).isEqualTo(DelayStrategy.IMMEDIATE);
    assertThat(hold(planning.plan(bare.delay(ofSeconds(1))))).isEqualTo(ofSeconds(1));
    assertThat(planning.plan(bare.deliverAt(NOW)).strategy()).isEqualTo(DelayStrategy.QUEUE_WHEEL);
    assertThat(planning.plan(ORDER).strategy()).isEqualTo(DelayStrategy.IMMEDIATE);
  }

  @Test
  void an_instant_is_rounded_up_to_a_millisecond() {
    Instant whole = Instant.parse("2026-03-02T00:00:00.500Z");

    assertThat(deliverAt(ORDER.deliverAt(whole))).isEqualTo(whole);
    assertThat(deliverAt(ORDER.deliverAt(whole.plusNanos(1)))).isEqualTo(whole.plusMillis(1));
    assertThat(deliverAt(ORDER.deliverAt(whole.minusNanos(1)))).isEqualTo(whole);
    assertThat(deliverAt(ORDER.deliverAt(Instant.ofEpochMilli(-5).plusNanos(1))))
        .isEqualTo(Instant.ofEpochMilli(-4));
  }

  @Test
  void a_delay_counts_from_the_millisecond_of_the_call() {
    assertThat(deliverAt(ORDER.delay(ofSeconds(1)))).isEqualTo(MILLISECOND_OF_NOW.plusSeconds(1));
    assertThat(deliverAt(ORDER.delay(ofNanos(1)))).isEqualTo(MILLISECOND_OF_NOW.plusMillis(1));
    assertThat(PlanFixture.bcc(planning.plan(ORDER.delay(ofSeconds(1)))))
        .as("no wait for the fraction of the clock")
        .containsExactly("pw-1s-1", "pw-10ms-0", "pw-to-orders");
  }

  @Test
  void a_delay_beyond_any_calendar_is_refused() {
    String problem =
        "message o-1: its delay is beyond any calendar; the latest allowed:"
            + " 9999-12-31T23:59:59.999Z";

    planning.refused(ORDER.delay(ofSeconds(Long.MAX_VALUE))).withMessage(problem);
    planning.refused(ORDER.deliverAt(Instant.MAX)).withMessage(problem);
  }

  @Test
  void the_last_instant_is_in_the_year9999() {
    Instant last = Instant.parse("9999-12-31T23:59:59.999Z");
    String problem =
        "message o-1: it would be due at %s; the latest allowed: 9999-12-31T23:59:59.999Z";

    assertThat(deliverAt(ORDER.deliverAt(last))).isEqualTo(last);
    planning
        .refused(ORDER.deliverAt(last.plusNanos(1)))
        .withMessage(problem.formatted("+10000-01-01T00:00:00Z"));
    planning
        .refused(ORDER.delay(between(MILLISECOND_OF_NOW, last).plusMillis(1)))
        .withMessage(problem.formatted("+10000-01-01T00:00:00Z"));
  }

  @Test
  void what_was_due_before_any_calendar_is_due_now() {
    for (DelayedMessage message :
        List.of(
            ORDER.deliverAt(Instant.MIN),
            ORDER.delay(Duration.ofSeconds(Long.MIN_VALUE)),
            ORDER.delay(Duration.ofSeconds(Instant.MIN.getEpochSecond())))) {
      assertThat(planning.plan(message).strategy()).isEqualTo(DelayStrategy.IMMEDIATE);
      assertThat(deliverAt(message)).isEqualTo(MILLISECOND_OF_NOW);
    }
    assertThat(deliverAt(ORDER.deliverAt(Instant.parse("-1000-01-01T00:00:00Z"))))
        .isEqualTo("-1000-01-01T00:00:00Z");
  }

  @Test
  void the_brokers_own_header_for_an_instant_is_one_and_is_not_sent() {
    Instant due = MILLISECOND_OF_NOW.plusSeconds(7);
    for (Object value : List.of(due.toEpochMilli(), Date.from(due))) {
      PublishPlan plan = planning.plan(ORDER.header(DeliveryTime.HEADER, value));
      assertThat(plan.deliverAt()).isEqualTo(due);
      assertThat(plan.strategy()).isEqualTo(DelayStrategy.QUEUE_WHEEL);
      assertThat(plan.properties().getHeaders()).doesNotContainKey(DeliveryTime.HEADER);
    }
    PublishPlan past = planning.plan(ORDER.header(DeliveryTime.HEADER, 0));
    assertThat(past.strategy()).isEqualTo(DelayStrategy.IMMEDIATE);
    assertThat(past.properties().getHeaders()).doesNotContainKey(DeliveryTime.HEADER);
    DelayedMessage same = ORDER.deliverAt(due).header(DeliveryTime.HEADER, due.toEpochMilli());
    assertThat(deliverAt(same)).isEqualTo(due);
  }

  @Test
  void the_brokers_own_header_must_be_readable_and_agree() {
    String unreadable =
        "its header x-opt-delivery-time is %s; RabbitMQ reads a 64-bit integer of milliseconds"
            + " since 1970, or a date";
    Map<Object, String> wrong =
        Map.of("2030-01-01", "a String", 1.8e12, "a Double", List.of(), "a ListN");
    wrong.forEach(
        (value, words) ->
            planning
                .refused(ORDER.header(DeliveryTime.HEADER, value))
                .withMessageEndingWith(unreadable.formatted(words)));
    planning
        .refused(ORDER.header(DeliveryTime.HEADER, null))
        .withMessageEndingWith(unreadable.formatted("null"));
    long micros = MILLISECOND_OF_NOW.toEpochMilli() * 1_000;
    planning
        .refused(ORDER.header(DeliveryTime.HEADER, micros))
        .withMessageEndingWith("the latest allowed: 9999-12-31T23:59:59.999Z");
    planning
        .refused(ORDER.header(DeliveryTime.HEADER, Long.MAX_VALUE))
        .withMessageEndingWith("the latest allowed: 9999-12-31T23:59:59.999Z");
    Instant due = MILLISECOND_OF_NOW.plusSeconds(7);
    planning
        .refused(ORDER.delay(ofSeconds(8)).header(DeliveryTime.HEADER, due.toEpochMilli()))
        .withMessageEndingWith(
            "its header x-opt-delivery-time asks for %s, but its delay for %s; leave one out"
                .formatted(due, due.plusSeconds(1)));
    planning
        .refused(ORDER.deliverAt(due.plusMillis(1)).header(DeliveryTime.HEADER, due.toEpochMilli()))
        .withMessageContaining("but its deliverAt for " + due.plusMillis(1));
  }

  @Test
  void without_an_id_each_submission_gets_one_that_sorts_by_time() {
    DelayedMessage message = DelayedMessage.to("orders", "k");
    DelayPlanner planner = new DelayPlanner(ROUTES, WITH_PLUGIN);
    String first = planner.accept(message, NOW).id();
    String second = planner.accept(message, NOW).id();
    String later = planner.accept(message, NOW.plusMillis(1)).id();

    assertThat(first)
        .matches("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
    assertThat(first).isNotEqualTo(second).isLessThan(later);
    assertThat(Long.parseLong(first.replace("-", "").substring(0, 12), 16))
        .isEqualTo(NOW.toEpochMilli());
  }

  @Test
  void an_id_is_kept_within_its_limits() {
    assertThat(planning.plan(ORDER).id()).isEqualTo("o-1");
    assertThat(planning.plan(ORDER.id("é".repeat(100))).id()).hasSize(100);
    planning
        .refused(ORDER.id("é".repeat(100) + "x"))
        .withMessageEndingWith("its id is 201 bytes long; allowed: 1 to 200");
    planning
        .refused(ORDER.id(""))
        .withMessageEndingWith("its id is 0 bytes long; allowed: 1 to 200");
  }

  @Test
  void the_receipt_says_what_was_planned() {
    PublishPlan plan = planning.plan(ORDER.delay(ofHours(1)));

    assertThat(plan.receipt(PublishOutcome.REJECTED, Cause.NACKED, "full"))
        .isEqualTo(
            new PublishReceipt(
                "o-1",
                "timeouts",
                PublishOutcome.REJECTED,
                Cause.NACKED,
                "full",
                DelayStrategy.TTL_QUEUE,
                "its delay is one of route timeouts's",
                MILLISECOND_OF_NOW.plusSeconds(3_600),
                ZERO,
                false));
  }

  @Test
  void a_spread_adds_a_part_that_the_id_decides() {
    DelayRoute route = DelayRoute.builder("r").exchange("e").spread(ofSeconds(30)).build();
    DelayPlanner planner =
        new DelayPlanner(DelayRoutes.builder().route(route).build(), WITH_PLUGIN);
    DelayedMessage message = DelayedMessage.to("e", "k").id("o-1");
    Instant due = MILLISECOND_OF_NOW.plusSeconds(60);

    Submission byDelay = planner.accept(message.delay(ofMinutes(1)), NOW);
    Submission byInstant = planner.accept(message.deliverAt(due), NOW);
    Submission again = planner.accept(message.deliverAt(due), NOW.plusSeconds(3_600));

    assertThat(byDelay.spread()).isPositive().isLessThan(ofSeconds(30));
    assertThat(byDelay.deliverAt()).isEqualTo(due.plus(byDelay.spread()));
    assertThat(byInstant.deliverAt()).isEqualTo(again.deliverAt()).isEqualTo(byDelay.deliverAt());
    PublishPlan plan = planner.plan(byDelay, NOW);
    assertThat(plan.receipt(PublishOutcome.CONFIRMED, Cause.NONE, ""))
        .returns(byDelay.spread(), PublishReceipt::spread)
        .returns(byDelay.deliverAt(), PublishReceipt::deliverAt);
    assertThat(plan.properties().getHeaders())
        .containsEntry("pocketwatch-deliver-at", byDelay.deliverAt().toEpochMilli());
    assertThat(hold(plan)).isGreaterThanOrEqualTo(between(NOW, byDelay.deliverAt()));
  }

  @Test
  void a_spread_leaves_alone_what_is_sent_at_once_and_other_routes() {
    DelayRoute route = DelayRoute.builder("r").exchange("e").spread(ofSeconds(30)).build();
    DelayPlanner planner =
        new DelayPlanner(DelayRoutes.builder().route(route).build(), WITH_PLUGIN);

    DelayedMessage message = DelayedMessage.to("e", "k").id("o-1");
    assertThat(planner.accept(message, NOW).deliverAt()).isEqualTo(MILLISECOND_OF_NOW);
    assertThat(planner.accept(message.delay(ZERO), NOW).spread()).isZero();
    assertThat(planner.accept(ORDER.delay(ofHours(1)), NOW).spread()).isZero();
  }

  @Test
  void a_spread_is_even_for_ids_that_differ_in_their_last_characters() {
    int[] perTenth = new int[10];
    for (int i = 0; i < 100_000; i++) {
      long millis = Spread.part("order-" + i, ofSeconds(60)).toMillis();
      perTenth[(int) (millis / 6_000)]++;
    }
    assertThat(IntStream.of(perTenth)).allMatch(count -> count > 9_500 && count < 10_500);
    assertThat(Spread.part("order-4711", ofSeconds(60))).isEqualTo(ofMillis(46_305));
  }

  @Test
  void only_the_plugin_may_not_return_messages() {
    for (DelayStrategy strategy :
        List.of(
            DelayStrategy.QUEUE_WHEEL,
            DelayStrategy.TEMPORARY_QUEUE,
            DelayStrategy.DELAYED_EXCHANGE)) {
      assertThat(planning.plan(ORDER.delay(ofSeconds(1)).strategy(strategy)).mandatory())
          .isEqualTo(strategy != DelayStrategy.DELAYED_EXCHANGE);
    }
    assertThat(planning.plan(ORDER).mandatory()).isTrue();
  }

  @Test
  void the_destination_is_what_must_be_bound() {
    assertThat(planning.plan(ORDER).destinations())
        .containsExactly(Destination.of("orders", "order.timeout", Way.STRAIGHT));
    assertThat(planning.plan(ORDER.delay(ofSeconds(1))).destinations())
        .containsExactly(Destination.of("orders", "order.timeout", Way.SHARED));
    DelayedMessage mail = DelayedMessage.toQueue("mail").delay(ofSeconds(1));
    assertThat(planning.plan(mail).destinations())
        .containsExactly(Destination.of("", "mail", Way.OUT_QUEUE));
    assertThat(planning.plan(mail.header("CC", List.of("copy"))).destinations())
        .containsExactly(
            Destination.of("", "mail", Way.OUT_QUEUE), Destination.of("", "copy", Way.SHARED));
    assertThat(planning.plan(mail.strategy(DelayStrategy.TEMPORARY_QUEUE)).destinations())
        .containsExactly(Destination.of("", "mail", Way.TEMPORARY));
  }

  @Test
  void planning_later_holds_for_less() {
    DelayedMessage message = ORDER.delay(ofMinutes(2));

    assertThat(hold(planning.plan(message))).isEqualTo(ofMinutes(2));
    assertThat(hold(planning.planAfter(ofSeconds(50), message))).isEqualTo(ofSeconds(70));
    assertThat(hold(planning.planAfter(ofMillis(119_995), message))).isEqualTo(ofMillis(10));
    assertThat(planning.planAfter(ofMinutes(2), message).strategy())
        .isEqualTo(DelayStrategy.IMMEDIATE);
    assertThat(planning.planAfter(ofDays(1), message).deliverAt()).isEqualTo(deliverAt(message));
  }

  @Property
  void no_hold_is_shorter_than_what_remains(
      @ForAll @LongRange(min = 1, max = LONGEST_NANOS) long delay,
      @ForAll @LongRange(max = 2_000_000_000) long waited) {
    DelayedMessage delayed = ORDER.delay(ofNanos(delay));
    for (DelayedMessage message : List.of(delayed, ORDER.deliverAt(NOW.plusNanos(delay)))) {
      for (DelayStrategy strategy :
          List.of(
              DelayStrategy.QUEUE_WHEEL,
              DelayStrategy.TEMPORARY_QUEUE,
              DelayStrategy.DELAYED_EXCHANGE)) {
        PublishPlan plan = planning.planAfter(ofNanos(waited), message.strategy(strategy));
        Duration tooLong = hold(plan).minus(between(NOW.plusNanos(waited), plan.deliverAt()));
        Duration resolution = strategy == DelayStrategy.QUEUE_WHEEL ? ofMillis(10) : ofMillis(1);
        if (plan.strategy() != DelayStrategy.IMMEDIATE) {
          assertThat(tooLong).isBetween(ZERO, resolution.minusNanos(1));
        }
      }
    }
  }

  @Property
  void no_ttl_queue_holds_for_less_than_what_remains(
      @ForAll @LongRange(max = 10_000_000) long waited,
      @ForAll @LongRange(max = 999_999) long fraction) {
    DelayPlanner planner = new DelayPlanner(ROUTES, WITH_PLUGIN);
    Instant now = MILLISECOND_OF_NOW.plusNanos(fraction);
    Submission submission = planner.accept(ORDER.delay(ofHours(1)), now);
    PublishPlan plan = planner.plan(submission, now.plusNanos(waited));

    assertThat(plan.strategy()).isIn(DelayStrategy.TTL_QUEUE, DelayStrategy.QUEUE_WHEEL);
    assertThat(hold(plan)).isBetween(between(now.plusNanos(waited), plan.deliverAt()), ofHours(1));
  }

  private Instant deliverAt(DelayedMessage message) {
    return planning.accept(message).deliverAt();
  }
}
