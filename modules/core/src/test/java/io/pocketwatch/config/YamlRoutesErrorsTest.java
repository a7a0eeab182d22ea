// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class YamlRoutesErrorsTest {
  private static final String DURATION = "10ms, 15s, 30m, 2h";
  private static final String TTL = "allowed: 1ms to 3650d";

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource({"routes", "values", "sections"})
  void namesSourceKeyAndWhatIsAllowed(String yaml, String key, String value, String allowed) {
    InvalidConfigurationException error = refused("pocketwatch: " + yaml);

    assertThat(error.key()).isEqualTo(key);
    assertThat(error).hasMessageStartingWith("test.yml:1: " + key + ": ");
    assertThat(error).hasMessageContaining(value).hasMessageContaining(allowed);
    assertThat(error.getMessage()).doesNotContain("null", "java.", "\n");
  }

  static Stream<Arguments> routes() {
    return Stream.of(
        inRoute("exchnge: orders", ".exchnge", "unknown key", "allowed: exchange, routing-key,"),
        inRoute("routingKey: a", ".routingKey", "unknown key", "did you mean 'routing-key'?"),
        inRoute("exchange: ''", "", "'r' has neither exchange nor routing-key", "name the"),
        inRoute("exchange: '', routing-key: ''", "", "neither exchange nor routing-key", "name"),
        inRoute("exchange: [a, b]", ".exchange", "[\"a\",\"b\"] is a list", "allowed: a text"),
        inRoute("exchange: 12", ".exchange", "12 is a number", "put it in quotes"),
        inRoute("exchange: yes", ".exchange", "true is a truth value", "put it in quotes"),
        inRoute("exchange: ~", ".exchange", "has no value", "allowed: a text"),
        inRoute(
            "exchange: " + "é".repeat(128), ".exchange", "256 bytes long", "allowed: at most 255"),
        inRoute(
            "exchange: x, routing-key: " + "k".repeat(256),
            ".routing-key",
            "256 bytes long",
            "allowed: at most 255"),
        inRoute("exchange: x, strategy: WEEL", ".strategy", "'WEEL'", strategies()),
        inRoute("exchange: x, strategy: IMMEDIATE", ".strategy", "'IMMEDIATE'", strategies()),
        inRoute("exchange: x, strategy: [a]", ".strategy", "[\"a\"] is a list", strategies()),
        inRoute("exchange: x, spread: 25h", ".spread", "spread 25h is out of range", "0s to 1d"),
        inRoute("exchange: x, spread: -1s", ".spread", "spread -1s is out of range", "0s to 1d"),
        inRoute("exchange: x, spread: PT0.0001S", ".spread", "PT0.0001S", "whole number"),
        inRoute("exchange: x, spread: 1m, delays: [1h]", "", "delays and a spread of 1m", "0s"),
        inRoute("exchange: x, retries: [0s]", ".retries[0]", "0ms is out of range", TTL),
        inRoute("exchange: x, retries: 1s", ".retries", "'1s' is a text", "a list such as"),
        inRoute(
            "exchange: x, retries: [1s" + ", 1s".repeat(20) + "]",
            ".retries",
            "retries of 21 is out of range",
            "at most 20"),
        inRoute(
            "exchange: x, isolation: no",
            ".isolation",
            "false is a truth value",
            "shared, destination"),
        inRoute("exchange: x, isolation: own", ".isolation", "'own'", "shared, destination"),
        inRoute("exchange: x, user-expiration: keep", ".user-expiration", "'keep'", "reject, drop"),
        inRoute("exchange: x, tracking: some", ".tracking", "'some' is", "none, handoff, full"),
        inRoute("exchange: x, handoff-before: 40d", ".handoff-before", "40d", "1s to 31d"),
        inRoute("exchange: x, insert-limit: 0", ".insert-limit", "insert-limit 0", "1 to 1000000"),
        arguments("{loader: {at: noon}}", "pocketwatch.loader.at", "'noon'", "\"00:00\""),
        arguments("{loader: {zone: Mars}}", "pocketwatch.loader.zone", "'Mars'", "Europe/Berlin"),
        arguments("{loader: {sweep: 2h}}", "pocketwatch.loader.sweep", "sweep 2h", "100ms to 1h"),
        arguments(
            "{loader: {at: '01:00', every: 1h}}", "pocketwatch.loader.every", "both", "leave one"),
        arguments("{loader: {retention: never}}", "pocketwatch.loader.retention", "'never'", "31d"),
        arguments("{loader: {retention: 9ms}}", "pocketwatch.loader.retention", "9ms", "to 3650d"),
        arguments("{loader: {nap: 1h}}", "pocketwatch.loader.nap", "unknown key", "sweep"),
        arguments(
            "{routes: {a: {exchange: x, routing-key: k}, b: {exchange: x, routing-key: k}}}",
            "pocketwatch.routes.b",
            "routes 'a' and 'b' match the same",
            "exchange 'x' and routing-key 'k'"),
        arguments(
            "{routes: {a: {exchange: x}, b: {exchange: x}}}",
            "pocketwatch.routes.b",
            "routes 'a' and 'b' match the same",
            "exchange 'x' and routing-key (any)"),
        arguments(
            "{routes: {defaults: {exchange: x}}}",
            "pocketwatch.routes.defaults",
            "the name is taken",
            "pocketwatch.defaults"),
        arguments("{routes: {' ': {exchange: x}}}", "pocketwatch.routes[' ']", "name", "is blank"),
        arguments("{routes: [a]}", "pocketwatch.routes", "[\"a\"] is a list", "a mapping"),
        arguments("{routes: {r: x}}", "pocketwatch.routes.r", "'x' is a text", "a mapping"),
        arguments(
            "{routes: {a.b: {exchnge: x}}}",
            "pocketwatch.routes['a.b'].exchnge",
            "unknown key",
            "exchange"),
        arguments(
            "{defaults: {exchange: x}}", "pocketwatch.defaults.exchange", "unknown", "delays"),
        arguments("{defaults: {delays: [-5m]}}", "pocketwatch.defaults.delays[0]", "-5m", TTL));
  }

  static Stream<Arguments> values() {
    return Stream.of(
        delay("-15m", "-15m is out of range", TTL),
        delay("0s", "0ms is out of range", TTL),
        delay("3651d", "3651d is out of range", TTL),
        delay("999999999999999999d", "'999999999999999999d'", "too long"),
        delay("PT0.0001S", "PT0.0001S", "whole number of milliseconds"),
        delay("30", "30 has no unit", DURATION),
        delay("-0.5", "-0.5 has no unit", DURATION),
        delay("'30'", "'30'", DURATION),
        delay("soon", "'soon'", DURATION),
        delay("1h30m", "'1h30m'", DURATION),
        delay("[1m]", "[\"1m\"] is a list", DURATION),
        delay("true", "true is a truth value", DURATION),
        delay("''", "''", DURATION),
        inRoute("exchange: x, delays: 30m", ".delays", "'30m' is a text", "a list such as [15m,"),
        inRoute("exchange: x, default-delay: 0ms", ".default-delay", "0ms", TTL),
        inRoute("exchange: x, default-delay: 60", ".default-delay", "60 has no unit", DURATION));
  }

  static Stream<Arguments> sections() {
    return Stream.of(
        section("name-prefix: 'a b'", "name-prefix", "'a b'", "1 to 60 letters"),
        section("name-prefix: amq.x", "name-prefix", "'amq.x'", "not beginning with amq."),
        section("topology: create", "topology", "'create'", "declare, verify, assume"),
        section("wheel: {maxDelay: 1d}", "wheel.maxDelay", "unknown", "did you mean 'max-delay'?"),
        section("wheel: {max-delay: 4000d}", "wheel.max-delay", "4000d", TTL),
        section("wheel: {max-delay: 15ms}", "wheel", "max-delay 15ms", "multiple of"),
        section("wheel: {resolution: 7ms}", "wheel", "hand 7ms", "divide the hand before it, 1s"),
        section("wheel: {hands: []}", "wheel", "hands is empty", "name at least the resolution"),
        section("wheel: {hands: [1d, 0s]}", "wheel.hands[1]", "0ms", TTL),
        section("wheel: {hands: [10ms]}", "wheel", "267840001 queues", "allowed: 2000"),
        section(
            "wheel: {resolution: 10ms, hands: [1m, 1s]}",
            "wheel.resolution",
            "is not the last of the hands, 1s",
            "leave one of the two out"),
        section(
            "wheel: {queue-type: classic}",
            "wheel.queue-type",
            "queue-type classic",
            "accept-loss: true"),
        section("wheel: {queue-type: stream}", "wheel.queue-type", "'stream'", "quorum, classic"),
        section("wheel: {accept-loss: 'x'}", "wheel.accept-loss", "'x' is a text", "true, false"),
        section(
            "ttl-queues: {type: quorum}",
            "ttl-queues.type",
            "unknown key",
            "accept-loss, queue-type"),
        section(
            "ttl-queues: {queue-type: classic}",
            "ttl-queues.queue-type",
            "classic",
            "accept-loss: true"),
        section("temporary-queues: {max: 0}", "temporary-queues.max", "0", "1 to 10000"),
        section("temporary-queues: {max: 1.5}", "temporary-queues.max", "1.5", "a whole number"),
        section("temporary-queues: {grace: 1h}", "temporary-queues.grace", "1h", "1d to 365d"),
        section("temporary-queues: {linger: 2h}", "temporary-queues.linger", "2h", "10s to 1h"),
        section("temporary-queues: []", "temporary-queues", "[] is a list", "a mapping"),
        section(
            "publisher: {channel: 1}", "publisher.channel", "mean 'channels'?", "max-in-flight"),
        section("publisher: {channels: 65}", "publisher.channels", "65", "1 to 64"),
        section("publisher: {channels: four}", "publisher.channels", "'four' is a text", "number"),
        section("publisher: {max-in-flight: 0}", "publisher.max-in-flight", "0", "1 to 100000"),
        section(
            "publisher: {confirm-timeout: 30}",
            "publisher.confirm-timeout",
            "30 has no unit",
            DURATION),
        section(
            "publisher: {confirm-timeout: PT9999999999999999S}",
            "publisher.confirm-timeout",
            "is out of range",
            "1s to 10m"),
        section(
            "publisher: {max-body-size: 99999999999}",
            "publisher.max-body-size",
            "99999999999",
            "at most 2147483647"),
        section(
            "publisher: {max-body-size: 536870913}",
            "publisher.max-body-size",
            "536870913",
            "0 to 536870912"),
        section("wheels: {}", "wheels", "did you mean 'wheel'?", "ttl-queues, temporary-queues"));
  }

  @Test
  void all_mistakes_are_told_with_their_lines_and_none_that_only_follows() {
    assertThat(
            refused(
                """
                pocketwatch:
                  topology: create
                  wheel: { max-delay: 1y, queue-type: classic }
                  defaults: { handoff-before: 5m }
                  routes:
                    r: { exchange: 5, delays: [0s, 1h, x], handoff-before: 1m }
                    s: { exchange: s, strategy: TTL_QUEUE }
                    t: { exchange: s }
                    u: { exchange: u, insert-limit: 0, tracking: all, delays: [1h] }
                    v: { exchange: v, resolution: 15ms }
                """))
        .hasMessage(
            """
            test.yml:2: pocketwatch.topology: 'create' is unknown; allowed: declare, verify, assume
            test.yml:3: pocketwatch.wheel.max-delay: '1y' is not a duration; write 10ms, 15s, 30m,\
             2h, 31d or ISO-8601 (PT30M)
            test.yml:3: pocketwatch.wheel.queue-type: queue-type classic can lose messages that \
            fall due during a broker restart; say accept-loss: true or use quorum
            test.yml:6: pocketwatch.routes.r.exchange: 5 is a number; allowed: a text; put it in \
            quotes
            test.yml:6: pocketwatch.routes.r.delays[0]: delay 0ms is out of range; allowed: 1ms \
            to 3650d
            test.yml:6: pocketwatch.routes.r.delays[2]: 'x' is not a duration; write 10ms, 15s, \
            30m, 2h, 31d or ISO-8601 (PT30M)
            test.yml:7: pocketwatch.routes.s.strategy: TTL_QUEUE holds what is in 'delays', and \
            that is empty
            test.yml:8: pocketwatch.routes.t: routes 's' and 't' match the same exchange 's' and \
            routing-key (any)
            test.yml:9: pocketwatch.routes.u.tracking: 'all' is unknown; allowed: none, handoff, \
            full
            test.yml:9: pocketwatch.routes.u.insert-limit: insert-limit 0 is out of range; \
            allowed: 1 to 1000000
            """
                .strip());
  }

  @Test
  void what_a_route_could_not_have_is_refused() {
    assertThat(
            refused(
                """
                pocketwatch:
                  topology: verify
                  routes:
                    r: { exchange: r, strategy: TEMPORARY_QUEUE, resolution: 15ms }
                    s: { exchange: s, tracking: full, resolution: 1s }
                    t: { exchange: t, strategy: QUEUE_WHEEL, resolution: 1s }
                """))
        .hasMessage(
            """
            test.yml:4: pocketwatch.routes.r.strategy: TEMPORARY_QUEUE declares a queue for each \
            message, which takes topology: declare
            test.yml:4: pocketwatch.routes.r.resolution: must be a multiple of wheel.resolution, \
            which is 10ms
            test.yml:5: pocketwatch.routes.s.resolution: has no effect with tracking: full, whose \
            messages are sent when they are due
            """
                .strip());
  }

  private static Arguments inRoute(String keys, String key, String value, String allowed) {
    return section("routes: {r: {" + keys + "}}", "routes.r" + key, value, allowed);
  }

  private static Arguments delay(String delay, String value, String allowed) {
    return inRoute("exchange: x, delays: [1s, " + delay + "]", ".delays[1]", value, allowed);
  }

  private static Arguments section(String keys, String key, String value, String allowed) {
    return arguments("{" + keys + "}", "pocketwatch." + key, value, allowed);
  }

  private static String strategies() {
    return "allowed: TTL_QUEUE, QUEUE_WHEEL, TEMPORARY_QUEUE, DELAYED_EXCHANGE, DELIVERY_TIME";
  }

  private static InvalidConfigurationException refused(String yaml) {
    return catchThrowableOfType(
        InvalidConfigurationException.class, () -> DelayRoutes.parse(yaml, "test.yml"));
  }
}
