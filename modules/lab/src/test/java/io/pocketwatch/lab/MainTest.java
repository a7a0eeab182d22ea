// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {

  @Test
  void help_names_the_servers_commands_and_those_of_the_lab() {
    CommandRun run = CommandRun.of("--help");

    assertThat(run.exitCode()).isZero();
    assertThat(String.join("\n", run.out()))
        .contains("demo", "demo-traffic", "broker", "faults", "soak", "bench")
        .contains("serve", "help", "3   no broker could be found or started");
  }

  @Test
  void help_fits_a_terminal() {
    List<List<String>> commands = new ArrayList<>();
    commands.add(List.of());
    Main.commandLine()
        .getSubcommands()
        .forEach(
            (name, command) -> {
              commands.add(List.of(name));
              command
                  .getSubcommands()
                  .keySet()
                  .forEach(below -> commands.add(List.of(name, below)));
            });
    commands.remove(List.of("bench")); // has no help of its own
    assertThat(commands).hasSizeGreaterThan(22);
    for (List<String> command : commands) {
      String[] words = Stream.concat(command.stream(), Stream.of("--help")).toArray(String[]::new);
      assertThat(CommandRun.of(words).out())
          .as("%s", command)
          .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
    }
    assertThat(CommandRun.of("faults", "--help").out())
        .noneMatch(line -> line.contains("Likewise"));
  }

  @Test
  void help_command_explains_another() {
    CommandRun run = CommandRun.of("help", "demo");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out().get(0)).startsWith("Usage: pocketwatch demo");
  }

  @Test
  void benchmarks_are_a_program_of_their_own() {
    CommandRun run = CommandRun.of("bench", "throughput", "--short");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .singleElement()
        .asString()
        .contains("./pocketwatch bench throughput --short");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "broker",
        "demo --unknown",
        "demo extra",
        "demo --messages 0",
        "demo --messages 1000001",
        "demo --messages many",
        "demo --seconds 4",
        "demo --broker http://localhost",
        "demo-traffic --rate 0",
        "demo-traffic --rate 1001",
        "broker start --version new",
        "broker start --port 70000"
      })
  void wrong_usage_is_explained_with_exit_code_2(String line) {
    CommandRun run = CommandRun.of(line.isEmpty() ? new String[0] : line.split(" "));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).last().asString().matches("See 'pocketwatch.* --help'\\.");
  }

  @Test
  void a_wrong_address_is_not_repeated() {
    CommandRun run = CommandRun.of("demo", "--broker", "http://user:secret@localhost");

    assertThat(run.err().get(0)).contains("--broker", "amqp://");
    assertThat(String.join("\n", run.err())).doesNotContain("secret");
  }
}
