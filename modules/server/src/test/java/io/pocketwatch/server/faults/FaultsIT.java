// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A short round on a broker and a database of its own. */
class FaultsIT {
  @TempDir private Path folder;

  @Test
  void every_message_is_handled_once_and_none_early() throws IOException {
    JsonNode report = run(1_500, "--seconds=25", "--loader-kills=2");

    String fault =
        report.get("database").textValue().startsWith("PostgreSQL") ? "killed" : "restarted";
    assertThat(report.get("databaseFault").textValue()).isEqualTo(fault);
    assertThat(report.at("/kills/loader").intValue()).isEqualTo(2);
    for (String kind : List.of("broker", "consumer", "database")) {
      assertThat(report.get("kills").get(kind).intValue()).as(kind).isEqualTo(1);
    }
  }

  @Test
  void neither_does_h2_forget_any_when_it_is_restarted() throws IOException {
    JsonNode report =
        run(
            600,
            "--seconds=12",
            "--database=h2",
            "--database-kills=2",
            "--loader-kills=0",
            "--broker-kills=0",
            "--consumer-kills=0");

    assertThat(report.get("database").textValue()).startsWith("H2");
    assertThat(report.get("databaseFault").textValue()).isEqualTo("restarted");
    assertThat(report.at("/kills/database").intValue()).isEqualTo(2);
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
    for (String all : List.of("messages", "confirmed", "handled")) {
      assertThat(report.get(all).intValue()).as(all).isEqualTo(messages);
    }
    for (String fault : List.of("lost", "early", "duplicateEffects", "unknown", "deadLettered")) {
      assertThat(report.get(fault).intValue()).as(fault).isZero();
    }
    return report;
  }
}
