// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** A minute of what {@code ./pocketwatch soak} does for hours. */
@Tag("wide")
class SoakIT {

  @Test
  void nothing_grows_and_nothing_is_lost_when_connections_break() throws IOException {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode =
        new CommandLine(new SoakCommand())
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute("--minutes=1", "--rate=10", "--seed=3", "--faults=network-cut");

    List<String> lines = out.toString().lines().toList();
    assertThat(exitCode).as("%s%n%s", out, err).isZero();
    JsonNode report = new ObjectMapper().readTree(lines.get(lines.size() - 1));
    assertThat(report.get("messages").intValue()).isEqualTo(600);
    assertThat(report.get("handled").intValue() + report.get("cancelled").intValue())
        .isEqualTo(600);
    assertThat(report.at("/strikes/network-cut").intValue()).isEqualTo(1);
    assertThat(report.get("level").booleanValue()).isTrue();
    assertThat(report.at("/measured/consumerHeap/last").longValue()).isPositive();
    assertThat(report.at("/measured/brokerConnections/last").longValue()).isPositive();
    assertThat(report.at("/measured/brokerQueues/finding").textValue()).isEqualTo("run too short");
  }
}
