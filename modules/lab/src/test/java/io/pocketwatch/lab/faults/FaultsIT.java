// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A few faults for a short time; {@code ./pocketwatch faults} lets all of them strike. */
class FaultsIT {
  @TempDir private Path folder;

  @Test
  void each_fault_does_what_the_guarantee_table_allows_and_no_more() throws IOException {
    assertAllowed("broker-killed", "publisher-killed");
  }

  @Test
  @Tag("wide")
  void so_do_those_of_network_database_and_target() throws IOException {
    JsonNode report = assertAllowed("network-cut", "database-killed", "target-deleted");

    String database = report.get("database").textValue();
    assertThat(report.get("databaseFault").textValue())
        .isEqualTo(database.startsWith("PostgreSQL") ? "killed" : "restarted");
  }

  @Test
  @Tag("wide")
  void several_kills_in_one_round_and_h2_lose_nothing_either() throws IOException {
    JsonNode report =
        run(
            500,
            "--seconds=12",
            "--database=h2",
            "--database-kills=1",
            "--loader-kills=1",
            "--broker-kills=1",
            "--consumer-kills=1");

    assertThat(report.get("database").textValue()).startsWith("H2");
    assertThat(report.get("databaseFault").textValue()).isEqualTo("restarted");
    for (String kind : List.of("broker", "loader", "consumer", "database")) {
      assertThat(report.at("/strikes/%s-killed".formatted(kind)).intValue()).as(kind).isEqualTo(1);
    }
    assertThat(report.get("lost").intValue()).isZero();
  }

  private JsonNode assertAllowed(String... faults) throws IOException {
    int messages = faults.length * 300;
    JsonNode report =
        run(
            300,
            "--faults=" + String.join(",", faults),
            "--hold=quorum",
            "--brief",
            "--seconds=10");

    for (String fault : faults) {
      assertThat(report.get("faults").get(fault).get("rounds").intValue()).as(fault).isEqualTo(1);
      assertThat(report.at("/strikes/" + fault).intValue()).as(fault).isEqualTo(1);
      assertThat(report.at("/faults/" + fault + "/lostAllowed").intValue()).as(fault).isZero();
    }
    assertThat(report.get("messages").intValue()).isEqualTo(messages);
    assertThat(report.get("cancelled").intValue()).isPositive();
    assertThat(sum(report, "handled", "parked", "cancelled", "leftUncertain")).isEqualTo(messages);
    return report;
  }

  private static int sum(JsonNode report, String... figures) {
    return Stream.of(figures).mapToInt(each -> report.get(each).intValue()).sum();
  }

  private JsonNode run(int messages, String... options) throws IOException {
    Path file = folder.resolve("report.json");
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode =
        new CommandLine(new FaultsCommand())
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(
                Stream.concat(
                        Stream.of("--messages=" + messages, "--seed=3", "--json=" + file),
                        Stream.of(options))
                    .toArray(String[]::new));

    List<String> lines = out.toString().lines().toList();
    assertThat(exitCode).as("%s%n%s", out, err).isZero();
    JsonNode report = new ObjectMapper().readTree(lines.get(lines.size() - 1));
    assertThat(new ObjectMapper().readTree(Files.readString(file))).isEqualTo(report);
    assertThat(report.get("seed").longValue()).isEqualTo(3);
    for (String broken :
        List.of("lost", "early", "duplicatesNotAllowed", "duplicateEffects", "notTaken")) {
      assertThat(report.get(broken).intValue()).as(broken).isZero();
    }
    return report;
  }
}
