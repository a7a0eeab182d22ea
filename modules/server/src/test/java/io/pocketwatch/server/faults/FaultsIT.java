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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * A short round on a broker and a database of its own. The database is left alone: killed, H2 has
 * been seen to forget what it had committed in the last milliseconds.
 */
class FaultsIT {
  @TempDir private Path folder;

  @Test
  void every_message_is_handled_once_and_none_early() throws IOException {
    Path file = folder.resolve("report.json");
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode =
        new CommandLine(new FaultsCommand())
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(
                "--rounds=1",
                "--messages=1500",
                "--seconds=25",
                "--seed=3",
                "--loader-kills=2",
                "--database-kills=0",
                "--json=" + file);

    List<String> lines = out.toString().lines().toList();
    assertThat(exitCode).as("%s%n%s", out, err).isZero();
    JsonNode report = new ObjectMapper().readTree(lines.get(lines.size() - 1));
    assertThat(new ObjectMapper().readTree(Files.readString(file))).isEqualTo(report);
    assertThat(report.get("seed").longValue()).isEqualTo(3);
    for (String all : List.of("messages", "confirmed", "handled")) {
      assertThat(report.get(all).intValue()).as(all).isEqualTo(1_500);
    }
    for (String fault : List.of("lost", "early", "duplicateEffects", "unknown", "deadLettered")) {
      assertThat(report.get(fault).intValue()).as(fault).isZero();
    }
    assertThat(report.at("/kills/loader").intValue()).isEqualTo(2);
    for (String kind : List.of("broker", "consumer")) {
      assertThat(report.get("kills").get(kind).intValue()).as(kind).isEqualTo(1);
    }
  }
}
