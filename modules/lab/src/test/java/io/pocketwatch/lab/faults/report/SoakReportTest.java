// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.lab.faults.account.RoundResult;
import io.pocketwatch.lab.faults.database.DatabaseFault;
import io.pocketwatch.lab.faults.level.Gauge;
import io.pocketwatch.lab.faults.level.Kind;
import io.pocketwatch.lab.faults.level.Part;
import io.pocketwatch.lab.faults.level.Trend;
import io.pocketwatch.lab.faults.level.Trend.Finding;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SoakReportTest {
  private static final RoundResult KEPT =
      new RoundResult("none", HoldQueueType.QUORUM, Map.of(), 40, "lane", List.of(), Map.of());

  @Test
  void is_sound_when_messages_were_kept_and_all_is_level() throws IOException {
    SoakReport report = report(KEPT, Finding.LEVEL, false);
    JsonNode json = new ObjectMapper().readTree(report.json());

    assertThat(report.sound()).isTrue();
    assertThat(report.verdict()).contains("nothing grew");
    assertThat(json.get("level").booleanValue()).isTrue();
    assertThat(json.at("/measured/loaderThreads/last").intValue()).isEqualTo(42);
    assertThat(json.at("/measured/loaderThreads/finding").textValue()).isEqualTo("level");
    assertThat(json.get("broken")).isEmpty();
    assertThat(report.table()).anyMatch(line -> line.startsWith("loader: threads"));
  }

  @Test
  void growth_is_not_sound_and_said_with_its_figures() throws IOException {
    SoakReport report = report(KEPT, Finding.GROWN, true);
    JsonNode json = new ObjectMapper().readTree(report.json());

    assertThat(report.sound()).isFalse();
    assertThat(json.get("level").booleanValue()).isFalse();
    assertThat(json.at("/broken/0").textValue()).contains("loader: threads: grown", "40, 41, 42");
  }

  @Test
  void nor_is_a_message_that_was_lost() {
    SoakReport report =
        report(RoundResult.failed("none", HoldQueueType.QUORUM, "lost: 1"), Finding.LEVEL, false);

    assertThat(report.sound()).isFalse();
    assertThat(report.verdict()).contains("lost: 1");
  }

  @Test
  void a_process_may_have_been_started_anew_only_where_a_fault_does_that() {
    assertThat(report(KEPT, Finding.STARTED_ANEW, false).sound()).isFalse();
    assertThat(report(KEPT, Finding.STARTED_ANEW, true).sound()).isTrue();
  }

  private static SoakReport report(RoundResult round, Finding finding, boolean startsAnew) {
    Trend trend =
        new Trend(
            new Gauge(Part.LOADER, Kind.THREADS),
            9,
            List.of(40L, 41L, 42L),
            4,
            Duration.ofMinutes(5),
            finding);
    FaultsReport messages =
        new FaultsReport(
            7, List.of(round), Set.of(), "4.3.6", "H2 2", DatabaseFault.RESTARTED, 600);
    return new SoakReport(messages, 20, 60, List.of(trend), startsAnew);
  }
}
