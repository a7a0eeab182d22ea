// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every suite for a few seconds, so that the harness cannot rot. The figures mean nothing. */
class ShortFormIT {
  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"throughput | undelayed,wheel-quorum", "lateness | wheel-quorum"})
  void the_usual_suites_run_and_tell_in_the_agreed_shape(String suite, String peers)
      throws Exception {
    runs(suite, peers);
  }

  @Tag("wide")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "throughput | undelayed-pocketwatch,ttl-queue-quorum",
        "backlog | wheel-classic",
        "fanin | wheel-quorum",
        "longrun | wheel-quorum",
        "price | wheel-quorum,one-sink",
      })
  void so_do_all_others(String suite, String peers) throws Exception {
    runs(suite, peers);
  }

  private void runs(String suite, String peers) throws Exception {
    Path json = folder.resolve("found.json");

    int exitCode =
        Bench.commandLine()
            .execute(
                suite,
                "--short",
                "--peers",
                peers,
                "--json",
                json.toString(),
                "--results",
                folder.resolve("results").toString());

    assertThat(exitCode).isZero();
    JsonNode found = new ObjectMapper().readTree(Files.readString(json));
    assertThat(found.get("suite").asText()).isEqualTo(suite);
    assertThat(found.get("machine").get("servers").toString()).contains("RabbitMQ 4.3");
    assertThat(found.get("subjects")).hasSizeGreaterThanOrEqualTo(peers.split(",").length);
    for (JsonNode subject : found.get("subjects")) {
      assertThat(subject.get("early").asLong()).describedAs("early: %s", subject).isZero();
      assertThat(subject.get("lost").asLong()).describedAs("lost: %s", subject).isZero();
      assertThat(subject.get("publishPerSecond").asDouble()).isPositive();
      assertThat(subject.has("remark")).describedAs("refused: %s", subject).isFalse();
    }
  }
}
