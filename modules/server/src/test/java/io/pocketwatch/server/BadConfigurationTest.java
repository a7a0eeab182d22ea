// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A wrong file ends the command before a broker is looked for: the address given here answers to
 * nobody, which would be exit code 3.
 */
class BadConfigurationTest {

  private static final String NO_BROKER = "amqp://127.0.0.1:1";

  @TempDir private Path folder;

  @Test
  void a_wrong_file() throws IOException {
    Path file = Files.writeString(folder.resolve("wrong.yml"), "pocketwatch: { topology: create }");

    CommandRun run = CommandRun.of("repair", "--broker", NO_BROKER, "--config", file.toString());

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .singleElement()
        .asString()
        .startsWith(file + ":1: pocketwatch.topology: 'create' is unknown; allowed: declare");
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
