// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ResultTableTest {

  @Test
  void shows_only_columns_that_hold_something() {
    String heading = ResultTable.of(Hand.throughput()).lines().get(0);

    assertThat(heading.strip().split("\\s{2,}"))
        .containsExactly(
            "subject",
            "publish/s",
            "drain/s",
            "p50 ms",
            "p99 ms",
            "p99.9 ms",
            "max ms",
            "early",
            "broker MB",
            "client µs/msg");
  }

  @Test
  void lists_below_the_table_what_needs_words() {
    assertThat(ResultTable.of(Hand.throughput()).lines())
        .contains(
            "  0.93  wheel-quorum/undelayed publish",
            "  undelayed publish, wheel-quorum, wheel-classic, ttl-queue, db-scheduler: a broker's"
                + " crash",
            "  db-scheduler: polls every 100 ms",
            "  delayed-exchange: no plugin file")
        .anyMatch(line -> line.matches("wheel-quorum +7,102 +3,551 +21.3 +85 .*"));
  }

  @Test
  void is_markdown_too() {
    assertThat(ResultTable.of(Hand.throughput()).markdown())
        .contains(
            "| wheel-quorum | 7,102 | 3,551 | 21.3 | 85 | 170 | 283 | 0 | 299 | 12.3 | a broker's"
                + " crash |")
        .contains("\n- 0.93  wheel-quorum/undelayed publish\n");
  }

  @Test
  void describes_the_machine_without_its_owner() {
    Map<String, Object> machine = Machine.describe();

    assertThat(machine).containsKeys("cpu", "cores", "memoryGib", "system", "java");
    assertThat(machine.toString()).doesNotContain(System.getProperty("user.dir"));
  }
}
