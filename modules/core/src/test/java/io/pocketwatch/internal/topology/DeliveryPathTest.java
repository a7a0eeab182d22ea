// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.topology;

import static io.pocketwatch.internal.topology.WheelArbitraries.delaysUpTo;
import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.NativeHold;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Isolation;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.WheelOptions;
import io.pocketwatch.internal.plan.DelayPlanner;
import io.pocketwatch.internal.plan.PublishPlan;
import io.pocketwatch.internal.topology.BrokerModel.Arrival;
import io.pocketwatch.internal.topology.WheelArbitraries.Turn;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The plan and the topology agree: a planned message, walked through it, arrives when due. */
class DeliveryPathTest {
  private static final BrokerCapabilities BROKER =
      new BrokerCapabilities("4.3.6", true, true, 131_072, "guest")
          .with(NativeHold.usable(Duration.ZERO));
  private static final Instant NOW = Instant.parse("2026-03-01T10:15:30.123456Z");
  private static final Names NAMES = new Names("pocketwatch");
  private static final DelayedMessage ORDER = DelayedMessage.to("orders", "order.timeout");
  private static final DelayedMessage COPIED =
      ORDER.header("CC", List.of("copy.one")).header("BCC", List.of("copy.two"));
  private static final DelayedMessage MAIL = DelayedMessage.toQueue("mail.box");
  private static final DelayRoutes ROUTES =
      DelayRoutes.builder()
          .route(
              DelayRoute.builder("orders")
                  .exchange("orders")
                  .delays(ofMillis(1), ofMinutes(15))
                  .build())
          .route(
              DelayRoute.builder("isolated")
                  .exchange("isolated")
                  .delays(ofMinutes(15))
                  .isolation(Isolation.DESTINATION)
                  .build())
          .route(
              DelayRoute.builder("iso-mail")
                  .routingKey("iso")
                  .isolation(Isolation.DESTINATION)
                  .build())
          .route(
              DelayRoute.builder("plugin")
                  .exchange("x")
                  .strategy(DelayStrategy.DELAYED_EXCHANGE)
                  .build())
          .route(
              DelayRoute.builder("native")
                  .exchange("y")
                  .strategy(DelayStrategy.DELIVERY_TIME)
                  .build())
          .build();

  private final BrokerModel broker = broker(ROUTES, BROKER);

  @Property
  void every_delay_rides_the_wheel_to_an_exchange(@ForAll("delays") Duration delay) {
    requireArrivals(onWheel(ORDER, delay), rounded(delay), "due", "all");
    requireArrivals(onWheel(COPIED, delay), rounded(delay), "due", "copies", "all");
  }

  @Property
  void every_delay_rides_the_wheel_to_a_queue(@ForAll("delays") Duration delay) {
    requireArrivals(onWheel(MAIL, delay), rounded(delay), "mail.box");
  }

  @Property
  void every_delay_rides_the_wheel_through_an_out_queue(@ForAll("delays") Duration delay) {
    DelayedMessage order = DelayedMessage.to("isolated", "order.timeout");
    requireArrivals(onWheel(order, delay), rounded(delay), "isolated");
    requireArrivals(onWheel(DelayedMessage.toQueue("iso"), delay), rounded(delay), "iso");
  }

  @Test
  void a_route_that_rounds_up_to_a_hand_makes_no_hop_below_it() {
    DelayRoutes routes =
        DelayRoutes.builder()
            .defaults(DelayRoute.defaults().toBuilder().resolution(ofSeconds(1)).build())
            .build();

    List<Arrival> arrivals =
        broker(routes, BROKER)
            .prepareAndPublish(NAMES, plan(routes, BROKER, ORDER.delay(Duration.ofMillis(29_030))));

    assertThat(arrivals).extracting(Arrival::held).containsOnly(ofSeconds(30));
    assertThat(arrivals)
        .extracting(Arrival::passed)
        .containsOnly(List.of("pocketwatch.wheel.quorum.1s.30"));
  }

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void every_wheel_holds_what_its_options_say(@ForAll("turns") Turn turn) {
    DelayRoutes routes = with(turn.options());
    Wheel wheel = new Wheel(turn.options());
    PublishPlan plan = plan(routes, BROKER, ORDER.delay(turn.delay()));

    List<Arrival> arrivals = broker(routes, BROKER).prepareAndPublish(NAMES, plan);

    assertThat(arrivals).extracting(Arrival::queue).containsExactlyInAnyOrder("due", "all");
    Arrival arrival = arrivals.get(0);
    assertThat(arrival.held()).isEqualTo(wheel.roundUp(turn.delay()));
    long waits = wheel.steps(turn.delay()).stream().filter(step -> step.position() > 0).count();
    assertThat(arrival.passed()).hasSize((int) waits).doesNotHaveDuplicates();
    assertThat(waits).isBetween(1L, (long) turn.options().hands().size());
  }

  /** Bindings stay where exchanges stay, also those of a wheel whose queues were deleted. */
  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void a_wheel_that_was_there_before_with_fewer_hands_leaves_no_short_cut(
      @ForAll("turns") Turn turn, @ForAll int kept) {
    List<Duration> hands = turn.options().hands();
    List<Duration> some = new ArrayList<>(hands);
    some.removeIf(hand -> (kept >> hands.indexOf(hand) & 1) == 0);
    Assume.that(!some.isEmpty() && some.size() < hands.size());
    Duration resolution = some.get(some.size() - 1);
    WheelOptions before = WheelOptions.builder().maxDelay(resolution).hands(some).build();
    BrokerModel broker = broker(with(before), BROKER);
    Topologies.holds(Topology.of(with(before), BROKER))
        .forEach(queue -> broker.deleteQueue(queue.name()));
    DelayRoutes now = with(turn.options());
    broker.declare(Topology.of(now, BROKER));

    List<Arrival> arrivals =
        broker.prepareAndPublish(NAMES, plan(now, BROKER, ORDER.delay(turn.delay())));

    assertThat(arrivals).extracting(Arrival::queue).containsExactlyInAnyOrder("due", "all");
    assertThat(arrivals)
        .extracting(Arrival::held)
        .containsOnly(new Wheel(turn.options()).roundUp(turn.delay()));
  }

  @Property
  void temporary_queues_hold_to_the_millisecond(@ForAll("longDelays") Duration delay) {
    for (DelayedMessage message : List.of(ORDER, COPIED, MAIL)) {
      DelayedMessage asking = message.delay(delay).strategy(DelayStrategy.TEMPORARY_QUEUE);
      List<Arrival> arrivals = broker.prepareAndPublish(NAMES, plan(ROUTES, BROKER, asking));

      assertThat(arrivals).extracting(Arrival::held).containsOnly(ceil(delay));
      assertThat(arrivals).allMatch(arrival -> arrival.passed().size() == 1);
      assertThat(arrivals).extracting(Arrival::routingKey).containsOnly(message.routingKey());
    }
  }

  @Test
  void other_holds_reach_the_same_queues_as_the_wheel() {
    for (DelayStrategy strategy :
        List.of(DelayStrategy.TEMPORARY_QUEUE, DelayStrategy.DELAYED_EXCHANGE)) {
      DelayedMessage order = ORDER.strategy(strategy).delay(ofSeconds(7));
      requireArrivals(order, ofSeconds(7), "due", "all");
      DelayedMessage copied = COPIED.strategy(strategy).delay(ofSeconds(7));
      requireArrivals(copied, ofSeconds(7), "due", "copies", "all");
      DelayedMessage mail = MAIL.strategy(strategy).delay(ofSeconds(7));
      requireArrivals(mail, ofSeconds(7), "mail.box");
      DelayedMessage isolated = DelayedMessage.to("isolated", "k").strategy(strategy);
      requireArrivals(isolated.delay(ofSeconds(7)), ofSeconds(7), "isolated");
    }
  }

  @Test
  void configured_delays_wait_in_one_queue_for_exactly_that() {
    requireArrivals(ORDER.delay(ofMinutes(15)), ofMinutes(15), "due", "all");
    requireArrivals(COPIED.delay(ofMillis(1)), ofMillis(1), "due", "copies", "all");
    DelayedMessage isolated = DelayedMessage.to("isolated", "k").delay(ofMinutes(15));
    List<String> passed = List.of("pocketwatch.ttl.quorum.900000", "pocketwatch.out.isolated");
    assertThat(arrivals(isolated))
        .containsExactly(new Arrival("isolated", ofMinutes(15), passed, "k"));
  }

  @Test
  void what_is_due_goes_straight() {
    requireArrivals(ORDER.delay(Duration.ZERO), Duration.ZERO, "due", "all");
    requireArrivals(COPIED, Duration.ZERO, "due", "copies", "all");
    requireArrivals(MAIL.delay(ofSeconds(-1)), Duration.ZERO, "mail.box");
  }

  @ParameterizedTest
  @EnumSource(names = {"QUEUE_WHEEL", "TEMPORARY_QUEUE", "DELAYED_EXCHANGE", "DELIVERY_TIME"})
  void theCopiesOfAMessageToAQueueArriveToo(DelayStrategy strategy) {
    DelayedMessage mail =
        MAIL.header("CC", List.of("cc.queue")).header("BCC", List.of("bcc.queue", "iso"));

    requireArrivals(
        mail.strategy(strategy).delay(ofHours(1)),
        ofHours(1),
        "mail.box",
        "cc.queue",
        "bcc.queue",
        "iso");
  }

  @Test
  void high_priorities_have_hold_queues_of_their_own_where_the_broker_mixes_them() {
    BrokerCapabilities broker41 = new BrokerCapabilities("4.1.4", false, true, 0, "guest");
    BasicProperties high = new BasicProperties.Builder().priority(5).build();

    List<Arrival> arrivals =
        broker(ROUTES, broker41)
            .prepareAndPublish(
                NAMES, plan(ROUTES, broker41, ORDER.properties(high).delay(ofSeconds(90))));

    assertThat(arrivals.get(0).passed())
        .containsExactly(
            "pocketwatch.wheel.quorum-high.1m.1", "pocketwatch.wheel.quorum-high.1s.30");
  }

  @ParameterizedTest
  @EnumSource(names = {"QUEUE_WHEEL", "TEMPORARY_QUEUE", "DELAYED_EXCHANGE", "DELIVERY_TIME"})
  void whatComesDueForADeletedTargetIsParked(DelayStrategy strategy) {
    for (DelayedMessage message : List.of(ORDER, COPIED, MAIL, DelayedMessage.toQueue("iso"))) {
      BrokerModel broker = broker(ROUTES, BROKER);
      PublishPlan plan = plan(ROUTES, BROKER, message.strategy(strategy).delay(ofSeconds(1)));
      broker.prepareAndPublish(NAMES, plan);
      broker.deleteExchange("orders");
      broker.deleteQueue("mail.box");
      broker.deleteQueue("iso");

      assertThat(broker.publish(plan))
          .extracting(Arrival::queue)
          .containsExactly(NAMES.unroutable());
    }
  }

  @Provide
  Arbitrary<Duration> delays() {
    return delaysUpTo(ofDays(31));
  }

  @Provide
  Arbitrary<Duration> longDelays() {
    return delaysUpTo(ofDays(3_649));
  }

  @Provide
  Arbitrary<Turn> turns() {
    return WheelArbitraries.turns();
  }

  private static DelayedMessage onWheel(DelayedMessage message, Duration delay) {
    return message.delay(delay).strategy(DelayStrategy.QUEUE_WHEEL);
  }

  private void requireArrivals(DelayedMessage message, Duration held, String... queues) {
    List<Arrival> arrivals = arrivals(message);
    assertThat(arrivals).extracting(Arrival::queue).containsExactlyInAnyOrder(queues);
    assertThat(arrivals).extracting(Arrival::held).containsOnly(held);
    assertThat(arrivals).extracting(Arrival::routingKey).containsOnly(message.routingKey());
  }

  private static DelayRoutes with(WheelOptions wheel) {
    return DelayRoutes.builder().hold(HoldOptions.builder().wheel(wheel).build()).build();
  }

  private List<Arrival> arrivals(DelayedMessage message) {
    return broker.prepareAndPublish(NAMES, plan(ROUTES, BROKER, message));
  }

  private static PublishPlan plan(
      DelayRoutes routes, BrokerCapabilities facts, DelayedMessage message) {
    DelayPlanner planner = new DelayPlanner(routes, facts);
    return planner.plan(planner.accept(message, NOW), NOW);
  }

  private static Duration rounded(Duration delay) {
    return new Wheel(ROUTES.hold().wheel()).roundUp(delay);
  }

  private static Duration ceil(Duration delay) {
    return ofMillis(delay.plusNanos(999_999).toMillis());
  }

  /** Our topology, and a user's: a topic exchange with patterns our keys must not match. */
  private static BrokerModel broker(DelayRoutes routes, BrokerCapabilities facts) {
    BrokerModel broker = new BrokerModel();
    broker.declare(Topology.of(routes, facts));
    broker.exchange("orders", "topic");
    broker.exchange("isolated", "fanout");
    for (String queue :
        List.of("due", "all", "copies", "wrong", "isolated", "mail.box", "cc.queue", "bcc.queue")) {
      broker.queue(queue);
    }
    broker.queue("iso");
    broker.bind(BindingSpec.queue("orders", "due", "order.timeout"));
    broker.bind(BindingSpec.queue("orders", "all", "#"));
    broker.bind(BindingSpec.queue("orders", "copies", "copy.*"));
    for (String pattern : List.of("*.*.*", "#.orders", "*.to.*", "#.5.#", "pw-to-orders.#.x")) {
      broker.bind(BindingSpec.queue("orders", "wrong", pattern));
    }
    broker.bind(BindingSpec.queue("isolated", "isolated", ""));
    return broker;
  }
}
