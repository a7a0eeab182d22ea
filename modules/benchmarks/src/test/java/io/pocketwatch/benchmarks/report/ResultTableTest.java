// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ResultTableTest {

  @Test
  void showsOnlyColumnsThatHoldSomething() {
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
  void listsBelowTheTableWhatNeedsWords() {
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
  void isMarkdownToo() {
    assertThat(ResultTable.of(Hand.throughput()).markdown())
        .contains(
            "| wheel-quorum | 7,102 | 3,551 | 21.3 | 85 | 170 | 283 | 0 | 299 | 12.3 | a broker's"
                + " crash |")
        .contains("\n- 0.93  wheel-quorum/undelayed publish\n");
  }

  @Test
  void describesTheMachineWithoutItsOwner() {
    Map<String, Object> machine = Machine.describe();

    assertThat(machine).containsKeys("cpu", "cores", "memoryGib", "system", "java");
    assertThat(machine.toString()).doesNotContain(System.getProperty("user.dir"));
  }
}
