// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.setup;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.HoldOptions.TopologyMode;
import io.pocketwatch.internal.amqp.AdminChannels;
import io.pocketwatch.internal.amqp.Connections;
import io.pocketwatch.internal.topology.Destination;
import io.pocketwatch.internal.topology.Destination.Way;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.testing.FakeBroker;
import io.pocketwatch.testing.HandScheduler;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import org.junit.jupiter.api.Test;

/** What is known of destinations, and until when. */
class DestinationsTest {
  private static final Destination HELD_FOR_SHOP = Destination.of("shop", "paid", Way.SHARED);
  private static final Destination STRAIGHT_TO_SHOP = Destination.of("shop", "paid", Way.STRAIGHT);
  private static final Destination STRAIGHT_TO_ORDERS = Destination.of("", "orders", Way.STRAIGHT);

  private final HandScheduler time = new HandScheduler();
  private final FakeBroker broker = new FakeBroker(time);
  private final Destinations destinations = destinations(TopologyMode.DECLARE);

  private Destinations destinations(TopologyMode mode) {
    Names names = new Names("pocketwatch");
    AdminChannels admin = new AdminChannels(new Connections(broker.factory(), List::of));
    ExecutorService threads = time.threads("admin", 4);
    TopologyKeeper keeper = new TopologyKeeper(admin, threads, names);
    return new Destinations(admin, keeper, names, mode, threads, time);
  }

  private String ensure(Destination destination) {
    return ensure(destinations, destination);
  }

  /**
   * {@code there}, {@code not known yet}, or why not. All threads run until they have nothing to
   * do.
   */
  private String ensure(Destinations of, Destination destination) {
    CompletableFuture<Void> answer = of.ensure(destination);
    time.runAll();
    return described(answer);
  }

  private static String described(CompletableFuture<Void> answer) {
    if (!answer.isDone()) {
      return "not known yet";
    }
    try {
      answer.join();
      return "there";
    } catch (CompletionException e) {
      return e.getCause().getClass().getSimpleName();
    }
  }

  private long questionsFor(String what) {
    return broker.asked().stream().filter(each -> each.endsWith(".look " + what)).count();
  }

  @Test
  void what_is_known_is_not_asked_for_again() {
    broker.hasQueue("orders");

    assertThat(ensure(STRAIGHT_TO_ORDERS)).isEqualTo("there");
    assertThat(destinations.ensure(STRAIGHT_TO_ORDERS)).isCompleted();

    assertThat(broker.asked()).containsExactly("queue.look orders");
  }

  @Test
  void many_who_need_it_at_once_ask_once() {
    broker.hasQueue("orders");
    CompletableFuture<Void> first = destinations.ensure(STRAIGHT_TO_ORDERS);
    CompletableFuture<Void> second = destinations.ensure(STRAIGHT_TO_ORDERS);

    time.runAll();

    assertThat(first).isCompleted();
    assertThat(second).isCompleted();
    assertThat(broker.asked()).hasSize(1);
  }

  @Test
  void of_several_each_must_be_there() {
    broker.hasQueue("orders");
    Destination missing = Destination.of("", "invoices", Way.STRAIGHT);

    CompletableFuture<Void> answer = destinations.ensure(List.of(STRAIGHT_TO_ORDERS, missing));
    time.runAll();

    assertThat(described(answer)).isEqualTo("UnknownTargetException");
  }

  @Test
  void what_is_held_for_an_exchange_is_bound_to_it() {
    broker.hasExchange("shop");

    assertThat(ensure(HELD_FOR_SHOP)).isEqualTo("there");

    assertThat(broker.isBound("pocketwatch.deliver", "shop")).isTrue();
  }

  @Test
  void what_goes_there_straight_is_bound_to_nothing() {
    broker.hasExchange("shop");

    assertThat(ensure(STRAIGHT_TO_SHOP)).isEqualTo("there");

    assertThat(broker.asked()).containsExactly("exchange.look shop");
  }

  // Missing

  @Test
  void a_target_that_is_missing_is_asked_for_with_each_message() {
    assertThat(ensure(STRAIGHT_TO_ORDERS)).isEqualTo("UnknownTargetException");
    assertThat(ensure(STRAIGHT_TO_ORDERS)).isEqualTo("UnknownTargetException");

    assertThat(questionsFor("orders")).isEqualTo(2);
  }

  @Test
  void a_queue_that_was_missing_is_used_as_soon_as_it_is_there() {
    ensure(STRAIGHT_TO_ORDERS);

    broker.hasQueue("orders");

    assertThat(ensure(STRAIGHT_TO_ORDERS)).isEqualTo("there");
  }

  @Test
  void an_exchange_that_was_missing_is_bound_a_second_after_it_was_seen() {
    assertThat(ensure(HELD_FOR_SHOP)).isEqualTo("UnknownTargetException");
    broker.hasExchange("shop");
    CompletableFuture<Void> answer = destinations.ensure(HELD_FOR_SHOP);

    time.advance(ofMillis(999));
    assertThat(described(answer)).isEqualTo("not known yet");
    assertThat(broker.isBound("pocketwatch.deliver", "shop")).isFalse();
    time.advance(ofMillis(1));

    assertThat(described(answer)).isEqualTo("there");
    assertThat(broker.isBound("pocketwatch.deliver", "shop")).isTrue();
  }

  @Test
  void an_exchange_that_was_missing_and_is_published_to_straight_does_not_wait() {
    ensure(STRAIGHT_TO_SHOP);
    broker.hasExchange("shop");

    assertThat(ensure(STRAIGHT_TO_SHOP)).isEqualTo("there");
  }

  // Asked again

  @Test
  void after_half_a_minute_it_is_asked_for_again_in_the_background() {
    broker.hasQueue("orders");
    ensure(STRAIGHT_TO_ORDERS);
    time.advance(ofSeconds(30));
    ensure(STRAIGHT_TO_ORDERS);
    assertThat(questionsFor("orders")).isEqualTo(1);
    time.advance(ofMillis(1));

    assertThat(destinations.ensure(STRAIGHT_TO_ORDERS)).as("nobody waits").isCompleted();
    destinations.ensure(STRAIGHT_TO_ORDERS);
    time.runAll();

    assertThat(questionsFor("orders")).isEqualTo(2);
  }

  @Test
  void one_deleted_meanwhile_is_missing_after_the_question_in_the_background() {
    broker.hasQueue("orders");
    ensure(STRAIGHT_TO_ORDERS);
    broker.loses("orders");
    time.advance(ofSeconds(31));

    assertThat(ensure(STRAIGHT_TO_ORDERS)).isEqualTo("there");
    assertThat(ensure(STRAIGHT_TO_ORDERS)).isEqualTo("UnknownTargetException");
  }

  @Test
  void an_exchange_deleted_and_declared_again_is_bound_again() {
    broker.hasExchange("shop");
    ensure(HELD_FOR_SHOP);
    broker.loses("shop");
    broker.hasExchange("shop");
    time.advance(ofSeconds(31));

    ensure(HELD_FOR_SHOP);

    assertThat(broker.isBound("pocketwatch.deliver", "shop")).isTrue();
  }

  @Test
  void a_forgotten_one_is_asked_for_before_its_next_use() {
    broker.hasQueue("orders");
    ensure(STRAIGHT_TO_ORDERS);
    broker.loses("orders");

    destinations.forget(STRAIGHT_TO_ORDERS);

    assertThat(ensure(STRAIGHT_TO_ORDERS)).isEqualTo("UnknownTargetException");
  }

  @Test
  void after_a_new_connection_all_are_asked_for() {
    broker.hasQueue("orders");
    ensure(STRAIGHT_TO_ORDERS);

    destinations.connected(List.of());
    ensure(STRAIGHT_TO_ORDERS);

    assertThat(questionsFor("orders")).isEqualTo(2);
  }

  @Test
  void forgotten_while_it_is_asked_for_in_the_background_it_stays_forgotten() {
    broker.hasQueue("orders");
    ensure(STRAIGHT_TO_ORDERS);
    time.advance(ofSeconds(31));
    destinations.ensure(STRAIGHT_TO_ORDERS);

    destinations.forget(STRAIGHT_TO_ORDERS);
    time.runAll();
    broker.loses("orders");

    assertThat(ensure(STRAIGHT_TO_ORDERS)).isEqualTo("UnknownTargetException");
  }

  // Refused

  @Test
  void one_that_refused_a_message_is_left_alone_for_half_a_minute() {
    broker.hasExchange("shop");
    ensure(STRAIGHT_TO_SHOP);

    destinations.refused(STRAIGHT_TO_SHOP, "ACCESS_REFUSED");
    time.advance(ofSeconds(30));
    assertThat(ensure(STRAIGHT_TO_SHOP)).isEqualTo("TopologyException");
    assertThat(questionsFor("shop")).isEqualTo(1);
    time.advance(ofMillis(1));

    assertThat(ensure(STRAIGHT_TO_SHOP)).isEqualTo("there");
  }

  /** Each further message to it would close the channel of others. */
  @Test
  void one_that_is_missing_is_left_alone_for_half_a_minute_where_nobody_may_ask() {
    Destinations assuming = destinations(TopologyMode.ASSUME);
    ensure(assuming, STRAIGHT_TO_SHOP);

    assuming.missing(STRAIGHT_TO_SHOP, "NOT_FOUND");
    time.advance(ofSeconds(30));
    assertThat(ensure(assuming, STRAIGHT_TO_SHOP)).isEqualTo("TopologyException");
    time.advance(ofMillis(1));

    assertThat(ensure(assuming, STRAIGHT_TO_SHOP)).isEqualTo("there");
  }

  @Test
  void a_binding_that_is_refused_is_tried_again_with_the_next_message() {
    broker.hasExchange("shop");
    broker.refuses("shop", AMQP.ACCESS_REFUSED, "ACCESS_REFUSED - no");
    assertThat(ensure(HELD_FOR_SHOP)).isEqualTo("TopologyException");

    broker.allows("shop");

    assertThat(ensure(HELD_FOR_SHOP)).isEqualTo("there");
  }

  // The broker cannot be asked

  @Test
  void a_connection_lost_while_asking_means_that_nothing_was_sent() {
    broker.hasQueue("orders");
    broker.beforeNextAnswer(broker::losesConnections);

    assertThat(ensure(STRAIGHT_TO_ORDERS)).isEqualTo("NothingSentException");
    assertThat(ensure(STRAIGHT_TO_ORDERS)).isEqualTo("there");
  }

  @Test
  void a_broker_that_is_away_or_silent_is_asked_again_with_the_next_message() {
    broker.hasQueue("orders");
    broker.goesAway();
    assertThat(ensure(STRAIGHT_TO_ORDERS)).isEqualTo("NothingSentException");
    broker.comesBack();
    broker.silent(true);
    assertThat(ensure(STRAIGHT_TO_ORDERS)).isEqualTo("NothingSentException");

    broker.silent(false);

    assertThat(ensure(STRAIGHT_TO_ORDERS)).isEqualTo("there");
  }

  // Bounds and modes

  @Test
  void no_more_than_ten_thousand_are_remembered() {
    broker.hasQueue("orders");
    ensure(STRAIGHT_TO_ORDERS);
    for (int i = 1; i < 10_000; i++) {
      destinations.refused(Destination.of("", "q" + i, Way.STRAIGHT), "no");
    }
    ensure(STRAIGHT_TO_ORDERS);
    assertThat(questionsFor("orders")).isEqualTo(1);

    ensure(Destination.of("", "one more", Way.STRAIGHT));
    ensure(STRAIGHT_TO_ORDERS);

    assertThat(questionsFor("orders")).isEqualTo(2);
  }

  @Test
  void with_assume_nobody_asks() {
    assertThat(ensure(destinations(TopologyMode.ASSUME), HELD_FOR_SHOP)).isEqualTo("there");
    assertThat(broker.asked()).isEmpty();
  }

  @Test
  void with_verify_nothing_is_declared_or_bound() {
    Destinations verifying = destinations(TopologyMode.VERIFY);
    assertThat(ensure(verifying, HELD_FOR_SHOP)).isEqualTo("UnknownTargetException");
    broker.hasExchange("shop");

    assertThat(ensure(verifying, HELD_FOR_SHOP)).isEqualTo("there");

    assertThat(broker.asked()).containsOnly("exchange.look shop");
  }

  @Test
  void with_verify_what_may_not_be_looked_at_is_taken_to_be_there_for_what_is_held() {
    Destinations verifying = destinations(TopologyMode.VERIFY);
    broker.refuses("shop", AMQP.ACCESS_REFUSED, "ACCESS_REFUSED - no");

    assertThat(ensure(verifying, HELD_FOR_SHOP)).isEqualTo("there");
    assertThat(ensure(verifying, STRAIGHT_TO_SHOP)).isEqualTo("TopologyException");
  }

  @Test
  void a_route_whose_target_is_missing_fails_nothing_and_is_usable_later() {
    DelayRoute route = DelayRoute.builder("paid").exchange("shop").build();

    CompletableFuture<Void> all = destinations.ensureConfigured(List.of(route));
    time.runAll();
    assertThat(all).isCompleted();
    broker.hasExchange("shop");
    CompletableFuture<Void> later = destinations.ensure(HELD_FOR_SHOP);
    time.advance(ofSeconds(1));

    assertThat(later).isCompleted();
  }
}
