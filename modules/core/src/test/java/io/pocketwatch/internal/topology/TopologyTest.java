// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.topology;

import static io.pocketwatch.internal.topology.Topologies.holds;
import static io.pocketwatch.internal.topology.Topologies.plus;
import static io.pocketwatch.internal.topology.Topologies.requireClosed;
import static io.pocketwatch.internal.topology.Topologies.requireNames;
import static io.pocketwatch.internal.topology.Topologies.ttls;
import static java.time.Duration.ofDays;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.config.DelayLimits;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.HoldQueues;
import io.pocketwatch.config.WheelOptions;
import io.pocketwatch.internal.topology.Destination.Way;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TopologyTest {
  private static final BrokerCapabilities BROKER = facts("4.3.6");
  private static final Names NAMES = new Names("pocketwatch");
  private static final String LONG_NAME = "ü.".repeat(85); // 255 bytes
  private static final DelayRoutes DELAYS =
      DelayRoutes.builder()
          .route(DelayRoute.builder("a").exchange("a").delays(ofMinutes(15), ofMinutes(30)).build())
          .route(DelayRoute.builder("b").exchange("b").delays(ofMinutes(30), ofMillis(1)).build())
          .build();

  @Test
  void holds_by_delivery_time_in_four_queues_where_that_is_asked_for() {
    DelayRoutes asking =
        DelayRoutes.builder()
            .defaults(
                DelayRoute.defaults().toBuilder().strategy(DelayStrategy.DELIVERY_TIME).build())
            .build();

    List<QueueSpec> queues =
        Topology.of(asking, BROKER).queues().stream()
            .filter(queue -> NAMES.holds(queue.name()) == DelayStrategy.DELIVERY_TIME)
            .toList();

    assertThat(queues)
        .extracting(QueueSpec::name)
        .containsExactly(
            "pocketwatch.native.0",
            "pocketwatch.native.1",
            "pocketwatch.native.2",
            "pocketwatch.native.3");
    assertThat(queues)
        .allSatisfy(
            queue ->
                assertThat(queue.arguments())
                    .containsEntry("x-queue-type", "quorum")
                    .containsEntry("x-overflow", "reject-publish")
                    .containsEntry("x-dead-letter-strategy", "at-least-once")
                    .containsEntry("x-dead-letter-exchange", NAMES.release())
                    .doesNotContainKey("x-message-ttl"));
    assertThat(Topology.of(DelayRoutes.none(), BROKER).queues())
        .noneMatch(queue -> queue.name().contains("native"));
  }

  @Test
  void the_default_wheel_has271_queues() {
    Topology topology = Topology.of(DelayRoutes.none(), BROKER);

    assertThat(holds(topology)).hasSize(31 + 23 + 59 + 59 + 99);
    assertThat(topology.queues()).extracting(QueueSpec::name).doesNotHaveDuplicates();
    assertThat(topology.exchanges()).extracting(ExchangeSpec::name).doesNotHaveDuplicates();
    assertThat(topology.bindings()).doesNotHaveDuplicates();
  }

  /** A message that has lost its keys must not stay before those behind it. */
  @ParameterizedTest
  @MethodSource("configurations")
  void what_a_hold_queue_passes_on_finds_a_way_or_is_unroutable(
      DelayRoutes routes, BrokerCapabilities facts) {
    Topology topology = Topology.of(routes, facts);
    Names names = new Names(routes.hold().namePrefix());
    BrokerModel broker = new BrokerModel();
    broker.declare(topology);
    for (QueueSpec hold : holds(topology)) {
      if (hold.arguments().containsKey("x-message-ttl")) {
        assertThat(broker.moved(hold.name()))
            .as("moved into %s", hold.name())
            .extracting(BrokerModel.Arrival::queue)
            .contains(names.unroutable());
      }
    }
  }

  @Test
  void each_configured_delay_has_one_queue_whatever_the_routes() {
    assertThat(ttls(Topology.of(DELAYS, BROKER), "pocketwatch.ttl.quorum."))
        .containsOnly(
            entry("pocketwatch.ttl.quorum.1", 1L),
            entry("pocketwatch.ttl.quorum.900000", 900_000L),
            entry("pocketwatch.ttl.quorum.1800000", 1_800_000L));
  }

  @ParameterizedTest
  @MethodSource("configurations")
  void everything_named_is_declared(DelayRoutes routes, BrokerCapabilities facts) {
    requireClosed(Topology.of(routes, facts));
  }

  @ParameterizedTest
  @MethodSource("destinations")
  void everything_a_destination_names_is_declared(Destination destination) {
    Topology shared = Topology.of(DelayRoutes.none(), BROKER);
    Topology own = Topology.of(NAMES, destination);
    Topology users =
        new Topology(
            List.of(ExchangeSpec.direct("orders"), ExchangeSpec.direct(LONG_NAME)),
            List.of(new QueueSpec("mail", Map.of()), new QueueSpec(LONG_NAME, Map.of())),
            List.of());

    requireClosed(plus(plus(shared, users), own));
    assertThat(own.bindings()).hasSize(destination.way() == Way.OUT_QUEUE ? 2 : 1);
  }

  @Test
  void what_is_not_held_needs_nothing() {
    Topology topology = Topology.of(NAMES, Destination.of("orders", "key", Way.STRAIGHT));

    assertThat(topology).isEqualTo(new Topology(List.of(), List.of(), List.of()));
  }

  @ParameterizedTest
  @MethodSource("configurations")
  void our_names_fit_and_stay_in_our_namespace(DelayRoutes routes, BrokerCapabilities facts) {
    Topology topology = Topology.of(routes, facts);
    Names names = new Names(routes.hold().namePrefix());
    requireNames(topology, names.prefix());
    assertThat(topology.queues()).extracting(QueueSpec::name).allMatch(names::isOurQueue);
    assertThat(topology.exchanges()).extracting(ExchangeSpec::name).allMatch(names::isOurs);
  }

  @Test
  void the_longest_names_fit() {
    Names names = new Names("p".repeat(60));
    for (Way way : List.of(Way.SHARED, Way.OUT_QUEUE, Way.TEMPORARY)) {
      for (String name : List.of(LONG_NAME, "n".repeat(180))) {
        requireNames(Topology.of(names, Destination.of(name, "k", way)), names.prefix());
        requireNames(Topology.of(names, Destination.of("", name, way)), names.prefix());
      }
    }
    assertThat(names.temporaryQueue("i".repeat(180))).hasSizeLessThanOrEqualTo(255);
  }

  @Test
  void quorum_holds_dead_letter_at_least_once() {
    for (QueueSpec hold : holds(Topology.of(DELAYS, BROKER))) {
      assertThat(hold.arguments())
          .containsOnlyKeys(
              "x-queue-type",
              "x-queue-leader-locator",
              "x-message-ttl",
              "x-dead-letter-exchange",
              "x-dead-letter-strategy",
              "x-overflow",
              "x-delivery-limit")
          .containsEntry("x-queue-type", "quorum")
          .containsEntry("x-queue-leader-locator", "balanced")
          .containsEntry("x-dead-letter-strategy", "at-least-once")
          .containsEntry("x-overflow", "reject-publish");
    }
  }

  @Test
  void classic_holds_have_no_quorum_arguments() {
    for (QueueSpec hold : holds(Topology.of(classic(DELAYS), BROKER))) {
      assertThat(hold.name()).contains(".classic.");
      assertThat(hold.arguments())
          .containsOnlyKeys("x-queue-type", "x-message-ttl", "x-dead-letter-exchange", "x-overflow")
          .containsEntry("x-queue-type", "classic")
          .containsEntry("x-overflow", "reject-publish");
    }
  }

  @Test
  void shared_queues_survive_a_node_whatever_the_holds_are() {
    Topology topology = Topology.of(classic(DELAYS), BROKER);

    assertThat(topology.queues())
        .filteredOn(queue -> NAMES.holds(queue.name()) == null)
        .allSatisfy(queue -> assertThat(queue.arguments()).containsEntry("x-queue-type", "quorum"))
        .extracting(QueueSpec::name)
        .containsExactlyInAnyOrder(NAMES.sink(), NAMES.unroutable());
  }

  @Test
  void releases_end_at_a_sink_of_their_node_and_otherwise_at_the_one_that_survives_nodes() {
    Topology topology = Topology.of(DELAYS, BROKER);

    for (String release : List.of("pocketwatch.release", "pocketwatch.out-release")) {
      assertThat(topology.bindings())
          .contains(new BindingSpec(release, NAMES.sink(), false, ""))
          .doesNotContainAnyElementsOf(topology.superseded());
      assertThat(topology.superseded()).contains(new BindingSpec(release, NAMES.sink(), true, ""));
    }
    assertThat(topology.exchanges())
        .contains(
            new ExchangeSpec(
                NAMES.sink(),
                "x-local-random",
                Map.of("alternate-exchange", "pocketwatch.sink-anywhere")));
    assertThat(topology.bindings())
        .contains(new BindingSpec("pocketwatch.sink-anywhere", NAMES.sink(), true, ""));
  }

  @Test
  void a_sink_of_one_node_stores_nothing_and_passes_nothing_on() {
    Topology sink = Topology.ofNodeSink(NAMES, 2);

    assertThat(sink.exchanges()).isEmpty();
    assertThat(sink.queues())
        .containsExactly(
            new QueueSpec(
                "pocketwatch.sink.2",
                Map.of(
                    "x-queue-type",
                    "classic",
                    "x-message-ttl",
                    0L,
                    "x-overflow",
                    "drop-head",
                    "x-queue-leader-locator",
                    "client-local")));
    assertThat(sink.bindings())
        .containsExactlyInAnyOrder(
            new BindingSpec(NAMES.sink(), "pocketwatch.sink.2", true, ""),
            new BindingSpec(NAMES.localOutlet(), "pocketwatch.sink.2", true, ""));
  }

  /** So that no policy decides that. */
  @Test
  void every_exchange_says_what_matches_nothing_and_the_sink_where_it_drops_to() {
    assertThat(Topology.of(DELAYS, BROKER).exchanges())
        .allSatisfy(each -> assertThat(each.arguments()).containsKey("alternate-exchange"));
    assertThat(Topology.of(DELAYS, BROKER).queues())
        .filteredOn(queue -> queue.name().equals(NAMES.sink()))
        .singleElement()
        .satisfies(
            sink ->
                assertThat(sink.arguments())
                    .containsEntry("x-dead-letter-exchange", NAMES.nowhere()));
  }

  @Test
  void without_the_exchange_type_releases_go_straight_to_the_one_sink() {
    Topology topology = Topology.of(DELAYS, facts("3.13.7"));

    assertThat(topology.exchanges())
        .extracting(ExchangeSpec::type)
        .containsOnly("direct", "fanout", "headers");
    assertThat(topology.bindings())
        .contains(new BindingSpec(NAMES.release(), NAMES.sink(), true, ""));
    assertThat(topology.superseded()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"4.0.0", "4.0.5", "4.1.4", "4.2.1"})
  void brokersWithTwoPriorityClassesHaveASecondSet(String version) {
    Topology topology = Topology.of(DELAYS, facts(version));

    assertThat(holds(topology)).hasSize(2 * (271 + 3));
    assertThat(ttls(topology, "pocketwatch.wheel.quorum-high.")).hasSize(271);
    assertThat(holds(Topology.of(classic(DELAYS), facts(version)))).hasSize(271 + 3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.10.8", "3.13.7", "4.3.0", "4.3.6", "4.10.1", "5.1.0", "", "dev"})
  void otherBrokersHaveOneSet(String version) {
    assertThat(holds(Topology.of(DELAYS, facts(version)))).hasSize(271 + 3);
  }

  @Test
  void sets_that_differ_never_share_a_name() {
    Map<String, Long> both = ttls(Topology.of(DELAYS, facts("4.1.0")), "pocketwatch.");
    Map<String, Long> classic = ttls(Topology.of(classic(DELAYS), BROKER), "pocketwatch.");

    assertThat(both).hasSize(2 * (271 + 3));
    assertThat(classic).hasSize(271 + 3).doesNotContainKeys(both.keySet().toArray(String[]::new));
  }

  @Test
  void a_name_says_its_unit_and_position() {
    Map<String, Long> ttls = new HashMap<>();
    for (Duration resolution : List.of(ofMillis(1), ofMillis(10), ofSeconds(5), ofMinutes(1))) {
      WheelOptions wheel = WheelOptions.builder().maxDelay(ofDays(1)).build();
      DelayRoutes routes =
          DELAYS.toBuilder()
              .hold(
                  HoldOptions.builder()
                      .wheel(wheel.toBuilder().resolution(resolution).build())
                      .build())
              .build();
      ttls(Topology.of(routes, BROKER), "pocketwatch.")
          .forEach(
              (name, ttl) -> assertThat(ttls.merge(name, ttl, Math::max)).as(name).isEqualTo(ttl));
    }
  }

  @Test
  void the_delayed_exchange_is_declared_where_it_exists_and_is_asked_for() {
    DelayRoutes asking =
        DelayRoutes.builder()
            .route(
                DelayRoute.builder("x")
                    .exchange("x")
                    .strategy(DelayStrategy.DELAYED_EXCHANGE)
                    .build())
            .build();
    BrokerCapabilities plugin = new BrokerCapabilities("4.3.6", true, true, 0, "guest");
    ExchangeSpec delayed =
        new ExchangeSpec(
            NAMES.delayed(),
            "x-delayed-message",
            Map.of("x-delayed-type", "fanout", "alternate-exchange", NAMES.nowhere()));

    assertThat(Topology.of(asking, plugin).exchanges()).contains(delayed);
    assertThat(Topology.of(asking, BROKER).exchanges()).doesNotContain(delayed);
    assertThat(Topology.of(DelayRoutes.none(), plugin).exchanges()).doesNotContain(delayed);
  }

  static Stream<Arguments> configurations() {
    DelayRoutes longest =
        DelayRoutes.builder()
            .hold(HoldOptions.builder().namePrefix("p".repeat(60)).build())
            .route(
                DelayRoute.builder("plugin")
                    .exchange("x")
                    .delays(DelayLimits.MAX_TTL)
                    .strategy(DelayStrategy.DELAYED_EXCHANGE)
                    .build())
            .build();
    return Stream.of(DelayRoutes.none(), DELAYS, classic(DELAYS), longest)
        .flatMap(
            routes ->
                Stream.of(
                        BROKER,
                        facts("4.1.0"),
                        new BrokerCapabilities("4.0.5", true, true, 0, "guest"))
                    .map(f -> Arguments.of(routes, f)));
  }

  static Stream<Destination> destinations() {
    return Stream.of(Way.SHARED, Way.OUT_QUEUE, Way.TEMPORARY)
        .flatMap(
            way ->
                Stream.of(
                    Destination.of("orders", "k", way),
                    Destination.of(LONG_NAME, "k", way),
                    Destination.of("", "mail", way),
                    Destination.of("", LONG_NAME, way)));
  }

  private static DelayRoutes classic(DelayRoutes routes) {
    HoldQueues classic = HoldQueues.classicAcceptingLoss();
    WheelOptions wheel = WheelOptions.builder().queues(classic).build();
    return routes.toBuilder()
        .hold(HoldOptions.builder().ttlQueues(classic).wheel(wheel).build())
        .build();
  }

  private static BrokerCapabilities facts(String version) {
    return new BrokerCapabilities(
        version, false, BrokerCapabilities.mayHaveLocalRandomExchange(version), 131_072, "guest");
  }
}
