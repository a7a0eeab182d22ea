// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * A wrong file ends the command before a broker is looked for: the address given here answers to
 * nobody, which would be exit code 3.
 */
class BadConfigurationTest {

  private static final String NO_BROKER = "amqp://127.0.0.1:1";

  static final Arguments[] wrong = {
    Arguments.of(
        "unknown key", "wheel: {max-delays: 1d}", "pocketwatch.wheel.max-delays", "max-delay"),
    Arguments.of(
        "negative delay",
        "routes: {a: {exchange: x, delays: [-5s]}}",
        "pocketwatch.routes.a.delays[0]",
        "1ms to 3650d"),
    Arguments.of(
        "duplicate route",
        "routes: {a: {exchange: x}, b: {exchange: x}}",
        "pocketwatch.routes.b",
        "'a' and 'b'"),
    Arguments.of(
        "delay above the maximum",
        "routes: {a: {exchange: x, delays: [3651d]}}",
        "pocketwatch.routes.a.delays[0]",
        "1ms to 3650d"),
    Arguments.of(
        "unknown strategy",
        "routes: {a: {exchange: x, strategy: MAGIC}}",
        "pocketwatch.routes.a.strategy",
        "TTL_QUEUE, QUEUE_WHEEL, TEMPORARY_QUEUE, DELAYED_EXCHANGE, DELIVERY_TIME"),
    Arguments.of(
        "empty exchange and routing key",
        "routes: {a: {exchange: '', routing-key: ''}}",
        "pocketwatch.routes.a",
        "name the exchange, or a queue as routing-key"),
  };

  @TempDir private Path folder;

  @ParameterizedTest(name = "{0}")
  @FieldSource
  void wrong(String what, String yaml, String key, String allowed) throws IOException {
    Path file = Files.writeString(folder.resolve("wrong.yml"), "pocketwatch: {" + yaml + "}\n");

    CommandRun run = CommandRun.of("repair", "--broker", NO_BROKER, "--config", file.toString());

    assertThat(run.exitCode()).as(what).isEqualTo(2);
    assertThat(run.err())
        .singleElement()
        .asString()
        .startsWith(file + ":1: " + key + ": ")
        .contains(allowed);
    assertThat(run.out()).isEmpty();
  }

  /** Whose address and database answer to nobody, either. */
  @Test
  void a_server_declares_nothing_for_a_schedule_without_its_route() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("wrong.yml"),
            """
            pocketwatch:
              schedules: { report: { cron: 0 9 * * *, route: reports } }
              store: { url: jdbc:postgresql://127.0.0.1:1/none }
            """);

    CommandRun run = CommandRun.of("serve", "--broker", NO_BROKER, "--config", file.toString());

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .containsExactly(
            file
                + ":2: pocketwatch.schedules.report.route: there is no route 'reports'; configured:"
                + " []");
  }

  @Test
  void a_file_that_is_not_there() {
    Path file = folder.resolve("none.yml");

    CommandRun run = CommandRun.of("repair", "--broker", NO_BROKER, "--config", file.toString());

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).containsExactly(file + ": there is no such file");
  }

  @Test
  void a_right_file_but_no_broker() throws IOException {
    Path file = Files.writeString(folder.resolve("right.yml"), "pocketwatch: {}\n");

    CommandRun run = CommandRun.of("repair", "--broker", NO_BROKER, "--config", file.toString());

    assertThat(run.exitCode()).isEqualTo(3);
    assertThat(run.err()).anyMatch(line -> line.contains("no broker answers there"));
  }
}
