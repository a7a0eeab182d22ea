// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {

  @Test
  void help_names_the_commands_and_exit_codes() {
    CommandRun run = CommandRun.of("--help");

    assertThat(run.exitCode()).isZero();
    assertThat(String.join("\n", run.out()))
        .contains("demo", "broker", "help", "3   no broker could be found or started");
  }

  @Test
  void help_command_explains_another() {
    CommandRun run = CommandRun.of("help", "demo");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out().get(0)).startsWith("Usage: pocketwatch demo");
  }

  @Test
  void version_is_one_line() {
    CommandRun run = CommandRun.of("--version");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).singleElement().asString().startsWith("pocketwatch ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "unknown",
        "--unknown",
        "broker",
        "demo --unknown",
        "demo extra",
        "demo --messages 0",
        "demo --messages 1000001",
        "demo --messages many",
        "demo --seconds 4",
        "demo --broker http://localhost",
        "broker start --version new",
        "broker start --port 70000"
      })
  void wrong_usage_is_explained_with_exit_code_2(String line) {
    CommandRun run = CommandRun.of(line.isEmpty() ? new String[0] : line.split(" "));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).anyMatch(each -> each.startsWith("Usage: pocketwatch"));
  }

  @Test
  void a_wrong_address_is_not_repeated() {
    CommandRun run = CommandRun.of("demo", "--broker", "http://user:secret@localhost");

    assertThat(run.err().get(0)).contains("--broker", "amqp://");
    assertThat(String.join("\n", run.err())).doesNotContain("secret");
  }
}
