// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.config.DelayRoute.Isolation;
import io.pocketwatch.config.DelayRoute.UserExpiration;
import io.pocketwatch.config.HoldOptions.NativeMode;
import io.pocketwatch.config.HoldOptions.TopologyMode;
import java.util.List;
import org.junit.jupiter.api.Test;

class YamlRoutesTest {
  private static final String COMPLETE =
      """
      pocketwatch:
        name-prefix: shop
        topology: Verify
        routes:
          order-timeout:
            exchange: orders
            routing-key: order.timeout
            delays: [30m, 15m]
            strategy: queue-wheel
            resolution: 1s
            default-delay: PT30M
            isolation: DESTINATION
            retries: [1s, 10s, 1s]
            user-expiration: drop
            tracking: none
          mail:
            routing-key: mail
            spread: 30s
        defaults:
          delays: [1h]
          strategy: DELAYED_EXCHANGE
          resolution: 100ms
          default-delay: 2h
          spread: 0s
          isolation: destination
          user-expiration: drop
        wheel:
          max-delay: 10d
          resolution: 20ms
          hands: [1h, 1m, 1s, 20ms]
          queue-type: classic
          accept-loss: true
        ttl-queues: { queue-type: classic, accept-loss: true }
        temporary-queues:
          { max: 10, grace: 2d, linger: 1m, queue-type: classic, accept-loss: true }
        native: auto
        publisher:
          channels: 2
          max-in-flight: 1_000
          confirm-timeout: 10s
          max-body-size: 1024
      """;

  @Test
  void reads_every_key_of_a_route() {
    DelayRoutes routes = DelayRoutes.parse(COMPLETE, "test.yml");

    assertThat(routes.named("order-timeout"))
        .usingRecursiveComparison()
        .isEqualTo(
            DelayRoute.builder("order-timeout")
                .exchange("orders")
                .routingKey("order.timeout")
                .delays(ofMinutes(15), ofMinutes(30))
                .strategy(DelayStrategy.QUEUE_WHEEL)
                .resolution(ofSeconds(1))
                .defaultDelay(ofMinutes(30))
                .isolation(Isolation.DESTINATION)
                .retries(ofSeconds(1), ofSeconds(10), ofSeconds(1))
                .userExpiration(UserExpiration.DROP)
                .build());
  }

  @Test
  void reads_the_defaults() {
    assertThat(DelayRoutes.parse(COMPLETE, "test.yml").defaults())
        .usingRecursiveComparison()
        .isEqualTo(
            DelayRoute.defaults().toBuilder()
                .delays(ofHours(1))
                .strategy(DelayStrategy.DELAYED_EXCHANGE)
                .resolution(ofMillis(100))
                .defaultDelay(ofHours(2))
                .isolation(Isolation.DESTINATION)
                .userExpiration(UserExpiration.DROP)
                .build());
  }

  @Test
  void a_route_takes_what_it_leaves_out_from_the_defaults_but_not_the_delays() {
    assertThat(DelayRoutes.parse(COMPLETE, "test.yml").named("mail"))
        .usingRecursiveComparison()
        .isEqualTo(
            DelayRoute.builder("mail")
                .routingKey("mail")
                .spread(ofSeconds(30))
                .strategy(DelayStrategy.DELAYED_EXCHANGE)
                .resolution(ofMillis(100))
                .isolation(Isolation.DESTINATION)
                .userExpiration(UserExpiration.DROP)
                .build());
  }

  @Test
  void a_route_takes_the_spread_of_the_defaults_unless_it_says_zero() {
    DelayRoutes routes =
        DelayRoutes.parse(
            "pocketwatch: {defaults: {spread: 1d}, routes: {a: {exchange: a},"
                + " b: {exchange: b, delays: [1m], spread: 0s}}}",
            "test.yml");

    assertThat(routes.named("a").spread()).isEqualTo(ofDays(1));
    assertThat(routes.named("b").spread()).isZero();
  }

  @Test
  void a_route_takes_the_retries_of_the_defaults_unless_it_names_none() {
    DelayRoutes routes =
        DelayRoutes.parse(
            "pocketwatch: {defaults: {retries: [1s]}, routes: {a: {exchange: a},"
                + " b: {exchange: b, retries: []}}}",
            "test.yml");

    assertThat(routes.named("a").retries()).containsExactly(ofSeconds(1));
    assertThat(routes.named("b").retries()).isEmpty();
    assertThat(DelayRoutes.none().defaults().retries()).isNull();
  }

  @Test
  void reads_how_messages_are_held() {
    HoldQueues classic = HoldQueues.classicAcceptingLoss();
    WheelOptions wheel =
        WheelOptions.builder()
            .maxDelay(ofDays(10))
            .hands(List.of(ofHours(1), ofMinutes(1), ofSeconds(1), ofMillis(20)))
            .queues(classic)
            .build();
    TemporaryQueueOptions temporary =
        TemporaryQueueOptions.builder()
            .max(10)
            .grace(ofDays(2))
            .linger(ofMinutes(1))
            .queues(classic)
            .build();

    assertThat(DelayRoutes.parse(COMPLETE, "test.yml").hold())
        .usingRecursiveComparison()
        .isEqualTo(
            HoldOptions.builder()
                .namePrefix("shop")
                .topology(TopologyMode.VERIFY)
                .wheel(wheel)
                .ttlQueues(classic)
                .temporaryQueues(temporary)
                .nativeMode(NativeMode.AUTO)
                .build());
  }

  @Test
  void native_is_auto_or_off_quoted_or_not() {
    assertThat(DelayRoutes.none().hold().nativeMode()).isEqualTo(NativeMode.OFF);
    for (String off : List.of("off", "'off'", "false")) {
      assertThat(DelayRoutes.parse("pocketwatch: { native: " + off + " }", "test.yml").hold())
          .usingRecursiveComparison()
          .isEqualTo(HoldOptions.defaults());
    }
    assertThat(DelayRoutes.parse("pocketwatch: { native: auto }", "test.yml").asksForNative())
        .isTrue();
    assertThat(DelayRoutes.none().asksForNative()).isFalse();
    assertThat(
            DelayRoutes.parse("pocketwatch: { defaults: { strategy: DELIVERY_TIME } }", "test.yml")
                .asksForNative())
        .isTrue();
  }

  @Test
  void reads_the_publisher() {
    assertThat(DelayRoutes.parse(COMPLETE, "test.yml").publisher())
        .usingRecursiveComparison()
        .isEqualTo(
            PublisherOptions.builder()
                .channels(2)
                .maxInFlight(1_000)
                .confirmTimeout(ofSeconds(10))
                .maxBodySize(1_024)
                .build());
  }

  @Test
  void nothing_configured_is_all_defaults() {
    DelayRoutes routes = DelayRoutes.parse("pocketwatch: {}", "test.yml");

    assertThat(routes.routes()).isEmpty();
    assertThat(routes.defaults()).usingRecursiveComparison().isEqualTo(DelayRoute.defaults());
    assertThat(routes.hold()).usingRecursiveComparison().isEqualTo(HoldOptions.defaults());
    assertThat(routes.publisher())
        .usingRecursiveComparison()
        .isEqualTo(PublisherOptions.defaults());
  }

  @Test
  void resolution_alone_sets_the_hands() {
    WheelOptions wheel =
        DelayRoutes.parse("pocketwatch: {wheel: {resolution: 1s}}", "test.yml").hold().wheel();

    assertThat(wheel)
        .usingRecursiveComparison()
        .isEqualTo(WheelOptions.builder().resolution(ofSeconds(1)).build());
  }

  @Test
  void hands_alone_set_the_resolution() {
    WheelOptions wheel =
        DelayRoutes.parse("pocketwatch: {wheel: {hands: [1h, 1m]}}", "test.yml").hold().wheel();

    assertThat(wheel.resolution()).isEqualTo(ofMinutes(1));
  }

  @Test
  void a_byte_order_mark_is_ignored() {
    assertThat(DelayRoutes.parse("\uFEFFpocketwatch: {name-prefix: x}", "test.yml").hold())
        .usingRecursiveComparison()
        .isEqualTo(HoldOptions.builder().namePrefix("x").build());
  }

  @Test
  void keeps_the_order_of_the_routes() {
    DelayRoutes routes =
        DelayRoutes.parse("pocketwatch: {routes: {b: {exchange: x}, a: {exchange: y}}}", "t");

    assertThat(routes.routes()).extracting(DelayRoute::name).containsExactly("b", "a");
  }
}
