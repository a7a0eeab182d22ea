// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.BuiltinExchangeType;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.TopologyException;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.WheelOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What another configuration left under our names is reported and left alone. */
@Execution(ExecutionMode.CONCURRENT) // they mostly wait
@Tag("ci")
class LeftoverTopologyIT {
  private World world;

  @BeforeEach
  void open() {
    world = World.of(LeftoverTopologyIT.class);
  }

  @AfterEach
  void close() throws Exception {
    world.close();
  }

  @Test
  void a_wheel_with_other_hands() throws Exception {
    DelayRoutes routes = under("Leftover-wheel");
    world.publisher(
        routes.toBuilder()
            .hold(
                routes.hold().toBuilder()
                    .wheel(
                        World.SMALL_WHEEL.toBuilder()
                            .hands(
                                List.of(
                                    Duration.ofSeconds(10),
                                    Duration.ofSeconds(1),
                                    Duration.ofMillis(200)))
                            .build())
                    .build())
            .build());

    assertRefused(routes, "Leftover-wheel", "Leftover-wheel.wheel.quorum.1s.1");
  }

  @Test
  void a_ttl_queue_with_other_arguments() throws Exception {
    DelayRoutes routes = under("Leftover-ttl");
    String queue =
        world.queue(
            "Leftover-ttl.ttl.quorum.5000",
            Map.of("x-queue-type", "quorum", "x-message-ttl", 9_999L));

    assertRefused(
        routes.toBuilder()
            .defaults(DelayRoute.defaults().toBuilder().delays(Duration.ofSeconds(5)).build())
            .build(),
        "Leftover-ttl",
        queue);
  }

  @Test
  void an_exchange_of_another_type() throws Exception {
    DelayRoutes routes = under("Leftover-type");
    String exchange = world.exchange("Leftover-type.release", BuiltinExchangeType.TOPIC);

    assertRefused(routes, "Leftover-type", exchange);
  }

  /** Its exchange stays, and with it the binding past the place where the new hand is. */
  @Test
  void a_hand_inserted_where_the_queues_before_it_were_deleted_passes_nothing_by()
      throws Exception {
    world.publisher(
        under("Leftover-drained", ofSeconds(3), ofSeconds(2), ofSeconds(1), ofMillis(100)));
    world.channel().queueDelete("Leftover-drained.wheel.quorum.1s.1");

    assertOnTime(
        under(
            "Leftover-drained",
            ofSeconds(3),
            ofSeconds(2),
            ofSeconds(1),
            ofMillis(500),
            ofMillis(100)),
        ofMillis(2_600));
  }

  /** Nothing refuses that change: a hand wider than the longest delay has no queue. */
  @Test
  void a_hand_inserted_behind_one_without_positions_is_not_passed_by() throws Exception {
    world.publisher(under("Leftover-wide", ofMillis(500), ofSeconds(1), ofMillis(100)));

    assertOnTime(
        under(
            "Leftover-wide",
            ofSeconds(3),
            ofSeconds(2),
            ofSeconds(1),
            ofMillis(500),
            ofMillis(100)),
        ofMillis(2_600));
  }

  private DelayRoutes under(String prefix, Duration maxDelay, Duration... hands) {
    DelayRoutes routes = under(prefix);
    WheelOptions wheel = WheelOptions.builder().maxDelay(maxDelay).hands(List.of(hands)).build();
    return routes.toBuilder().hold(routes.hold().toBuilder().wheel(wheel).build()).build();
  }

  /** Those that come early come twice. */
  private void assertOnTime(DelayRoutes routes, Duration delay) throws Exception {
    String target = world.target(routes.hold().namePrefix() + "-target");
    Inbox inbox = world.inbox(target);
    PublishReceipt receipt =
        Futures.get(world.publisher(routes).publish(DelayedMessage.to(target, "key").delay(delay)));
    assertThat(receipt.confirmed()).as("%s", receipt).isTrue();
    assertThat(inbox.awaitOne().lateness()).isGreaterThanOrEqualTo(Duration.ZERO);
    assertThat(inbox.ids()).containsExactly(receipt.id());
  }

  private DelayRoutes under(String prefix) {
    return world.routes().toBuilder()
        .hold(world.routes().hold().toBuilder().namePrefix(prefix).build())
        .build();
  }

  private void assertRefused(DelayRoutes routes, String prefix, String named) throws Exception {
    Map<String, Set<String>> before = durable(prefix);
    assertThatThrownBy(() -> world.publisher(routes))
        .isInstanceOf(TopologyException.class)
        .hasMessageContaining("'" + named + "'")
        .hasMessageContaining("name-prefix");

    Map<String, Set<String>> after = durable(prefix);
    assertThat(after.get("bindings")).as("bound").isEqualTo(before.get("bindings"));
    for (String kind : List.of("queues", "exchanges")) {
      assertThat(after.get(kind)).as("is as it was").containsAll(before.get(kind));
    }

    String target = world.target(prefix + "-2-target");
    DelayedPublisher other =
        world.publisher(
            routes.toBuilder()
                .hold(routes.hold().toBuilder().namePrefix(prefix + "-2").build())
                .build());
    PublishReceipt receipt =
        Futures.get(other.publish(DelayedMessage.to(target, "key").delay(Duration.ofMillis(20))));
    assertThat(receipt.confirmed()).as("another prefix works: %s", receipt).isTrue();
    assertThat(world.inbox(target).awaitOne().id()).isEqualTo(receipt.id());
  }

  /** By their kind. A probe's binding ends with it, and is none of them. */
  private Map<String, Set<String>> durable(String prefix) throws IOException {
    JsonNode all = new ObjectMapper().readTree(world.node().ctl("-q", "export_definitions", "-"));
    Map<String, Set<String>> found = new HashMap<>();
    for (String kind : List.of("queues", "exchanges", "bindings")) {
      Set<String> lines = found.computeIfAbsent(kind, each -> new TreeSet<>());
      all.required(kind).forEach(each -> lines.add(each.toString()));
      lines.removeIf(line -> !line.contains(prefix + "."));
    }
    return found;
  }
}
