// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The calculator computes with what was measured. Its formulas run in Node, where there is one. */
class SizingIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  @ParameterizedTest
  @CsvSource({
    "QUEUE_WHEEL, burst, throughput, wheel-quorum",
    "QUEUE_WHEEL, spread, lateness-4000, wheel-quorum",
    "QUEUE_WHEEL, three, throughput-three-nodes, wheel-quorum-3",
    "'QUEUE_WHEEL, resolution: 1s', burst, throughput, wheel-quorum-1s",
    "'QUEUE_WHEEL, resolution: 1s', three, throughput-three-nodes, wheel-quorum-1s-3",
    "'QUEUE_WHEEL, classic', burst, throughput, wheel-classic",
    "'QUEUE_WHEEL, classic', spread, backlog, wheel-classic",
    "TTL_QUEUE, burst, throughput, ttl-queue-quorum",
    "DELIVERY_TIME, burst, throughput-delivery-time, delivery-time",
    "DELIVERY_TIME, spread, lateness-delivery-time, delivery-time",
    "DELIVERY_TIME, three, throughput-delivery-time-3, delivery-time-3",
  })
  void a_cost_is_a_measured_one(String strategy, String cost, String file, String subject)
      throws IOException {
    JsonNode results = JSON.readTree(Path.of("results", file + ".json").toFile());
    double measured = Double.NaN;
    for (JsonNode each : results.path("subjects")) {
      if (each.path("name").asText().equals(subject)) {
        measured = each.path("brokerCpuMicros").asDouble(); // the last: at the highest rate
      }
    }
    double used = JSON.readTree(script("costs")).path(strategy).path(cost).asDouble();
    assertThat(used).isCloseTo(measured, within(measured * 0.01));
  }

  @Test
  void a_tracked_route_takes_what_the_page_says() throws Exception {
    assumeTrue(onPath("node"), "Node.js is missing: the calculator's formulas were not run");
    String given =
        "{rate: 1000, pending: 1e8, body: 256, nodes: 3, tracking: 'full',"
            + " horizon: 25, retention: 168}";
    JsonNode size = JSON.readTree(node(given));
    JsonNode handedOff = JSON.readTree(node(given.replace("full", "handoff")));

    assertThat(size.path("brokerCores").path(0).asDouble()).isCloseTo(1.26, within(0.01));
    assertThat(size.path("held").asDouble()).isZero();
    assertThat(handedOff.path("held").asDouble()).isEqualTo(90e6);
    assertThat(size.path("liveTable").asDouble()).isCloseTo(846e9, within(1e9));
    assertThat(size.path("logPerSecond").asDouble()).isEqualTo(2.7e6);
  }

  private static String node(String given) throws IOException, InterruptedException {
    String program =
        script("size")
            + ("console.log(JSON.stringify(size((%s).QUEUE_WHEEL, %s)))")
                .formatted(script("costs"), given);
    Process process = new ProcessBuilder("node", "-e", program).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  private static String script(String id) throws IOException {
    String page = Files.readString(Path.of("sizing.html"));
    int begin = page.indexOf('>', page.indexOf("id=\"" + id + "\"")) + 1;
    return page.substring(begin, page.indexOf("</script>", begin));
  }

  private static boolean onPath(String program) {
    List<String> folders = Arrays.asList(System.getenv("PATH").split(File.pathSeparator));
    return folders.stream().anyMatch(each -> Files.isExecutable(Path.of(each, program)));
  }
}
