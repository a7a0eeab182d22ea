// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class BenchTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void without_a_suite_they_are_listed() {
    assertThat(run("")).isZero();
    assertThat(out.toString())
        .contains("throughput", "lateness", "backlog", "fanin", "longrun")
        .contains("wheel-quorum, wheel-quorum-1s, wheel-classic");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "speed | there is no suite 'speed'; there are [throughput",
        "throughput --peers plugin-x | suite throughput has no subject 'plugin-x'; it has [undelayed",
        "throughput --messages 99 | --messages 99 is not within 100 to 10000000",
        "throughput --rounds 0 | --rounds 0 is not within 1 to 100",
        "lateness --rates 500,0 | --rates 0 is not within 1 to 100000",
        "backlog --held -1 | --held -1 is not within 0 to 10000000",
      })
  void wrong_usage_is_explained_with_exit_code_2(String line, String words) {
    assertThat(run(line)).isEqualTo(2);
    assertThat(err.toString()).contains(words).contains("Usage: pocketwatch bench");
  }

  private int run(String line) {
    CommandLine command = Bench.commandLine();
    command.setOut(new PrintWriter(out));
    command.setErr(new PrintWriter(err));
    return command.execute(line.isEmpty() ? new String[0] : line.split(" "));
  }
}
