// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ResultFolderTest {

  @TempDir Path folder;

  @Test
  void writes_the_agreed_shape_of_json() throws IOException {
    ResultFolder.at(folder).write(Hand.throughput(), Map.of());

    JsonNode json = new ObjectMapper().readTree(folder.resolve("throughput.json").toFile());

    assertThat(json.fieldNames()).toIterable().contains("suite", "machine", "subjects", "ratios");
    JsonNode wheel = json.path("subjects").path(1);
    assertThat(wheel.path("name").asText()).isEqualTo("wheel-quorum");
    assertThat(wheel.path("publishPerSecond").asText()).isEqualTo("7102.2");
    assertThat(wheel.path("latenessMs").fieldNames())
        .toIterable()
        .containsExactly("p50", "p99", "p999", "max");
    assertThat(wheel.path("latenessMs").path("p50").asText()).isEqualTo("21.3");
    assertThat(wheel.path("early").asInt(-1)).isZero();
    assertThat(wheel.path("brokerRssMb").isNumber()).isTrue();
    assertThat(wheel.has("brokerCpuMicros")).as("what was not measured").isFalse();
    assertThat(json.path("ratios").path("wheel-quorum/undelayed publish").asDouble())
        .isEqualTo(0.935);
  }

  @Test
  void logs_one_tagged_histogram_per_label() throws IOException {
    Results results = Hand.lateness();
    ResultFolder.at(folder).write(results, Hand.histograms(results));

    List<String> tags = new ArrayList<>();
    long values = 0;
    try (HistogramLogReader log =
        new HistogramLogReader(folder.resolve("lateness-lateness.hlog").toFile())) {
      while (log.hasNext()) {
        var histogram = log.nextIntervalHistogram();
        tags.add(histogram.getTag());
        values += ((org.HdrHistogram.Histogram) histogram).getTotalCount();
      }
    }

    assertThat(tags).hasSize(20).contains("wheel-quorum_rate=4000", "undelayed_publish_rate=500");
    assertThat(values).isEqualTo(20 * 20_000);
  }

  static Stream<Results> suites() {
    return Stream.of(Hand.throughput(), Hand.lateness(), Hand.backlog(), Hand.longRun());
  }

  @ParameterizedTest
  @MethodSource("suites")
  void draws_every_subject(Results results) throws Exception {
    List<Path> files = ResultFolder.at(folder).write(results, Hand.histograms(results));

    List<Path> plots = files.stream().filter(file -> file.toString().endsWith(".svg")).toList();
    assertThat(plots).hasSizeGreaterThanOrEqualTo(2);
    for (Path plot : plots) {
      String text =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(plot.toFile())
              .getDocumentElement()
              .getTextContent();
      assertThat(results.subjects())
          .as(plot.toString())
          .allSatisfy(subject -> assertThat(text).contains(subject.name()));
      assertThat(Files.readString(plot)).doesNotContain("NaN");
    }
  }
}
