// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.lab.faults.account.Figure;
import io.pocketwatch.lab.faults.account.RoundResult;
import io.pocketwatch.lab.faults.database.DatabaseFault;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FaultsReportTest {
  private static final RoundResult KEPT = round("loader-killed", 0, 70, List.of());
  private static final RoundResult BROKEN = round("broker-killed", 2, 900, List.of("lost: 2"));

  @Test
  void adds_up_over_all_rounds_and_for_each_fault() throws IOException {
    JsonNode json = json(KEPT, BROKEN, KEPT);

    assertThat(json.get("rounds").intValue()).isEqualTo(3);
    assertThat(json.get("messages").intValue()).isEqualTo(30);
    assertThat(json.get("lost").intValue()).isEqualTo(2);
    assertThat(json.get("worstLatenessMs").intValue()).isEqualTo(900);
    assertThat(json.get("kept").booleanValue()).isFalse();
    assertThat(json.at("/faults/loader-killed/rounds").intValue()).isEqualTo(2);
    assertThat(json.at("/faults/loader-killed/lost").intValue()).isZero();
    assertThat(json.at("/faults/loader-killed/kept").booleanValue()).isTrue();
    assertThat(json.at("/strikes/loader-killed").intValue()).isEqualTo(2);
    assertThat(json.at("/broken/0").textValue()).contains("broker-killed", "quorum", "lost: 2");
  }

  @Test
  void every_figure_is_there_for_every_fault() throws IOException {
    JsonNode fault = json(KEPT).at("/faults/loader-killed");

    for (Figure figure : Figure.values()) {
      assertThat(fault.has(figure.word())).as(figure.word()).isTrue();
    }
  }

  @Test
  void does_not_sell_an_orderly_restart_as_a_kill() throws IOException {
    assertThat(json(KEPT).get("databaseFault").textValue()).isEqualTo("restarted");
  }

  @Test
  void the_verdict_names_what_was_broken() {
    assertThat(report(KEPT).verdict()).contains("1 round");
    assertThat(report(KEPT).sound()).isTrue();
    assertThat(report(KEPT, BROKEN).verdict()).contains("1 of 2 rounds", "broker-killed");
  }

  @Test
  void a_node_that_had_to_be_restarted_is_named_in_the_verdict() throws IOException {
    RoundResult mended =
        new RoundResult(
            "node-partitioned",
            HoldQueueType.QUORUM,
            Map.of(Figure.MESSAGES, 10, Figure.HANDLED, 10, Figure.NODES_RESTARTED, 1),
            90_000,
            "none-wheel-quorum",
            List.of(),
            Map.of("node-partitioned", 1));

    assertThat(report(KEPT, mended).verdict())
        .isEqualTo(
            "All 2 rounds kept the guarantee table."
                + " 1 node passed nothing on any more and had to be restarted.");
    assertThat(json(KEPT, mended).at("/nodesRestarted").intValue()).isEqualTo(1);
  }

  @Test
  void a_fault_that_no_broker_could_be_had_for_is_named_in_the_verdict() {
    assertThat(report(Set.of("broker-clock-set"), KEPT).verdict())
        .isEqualTo(
            "All 1 round kept the guarantee table. NOT RUN for want of a broker: broker-clock-set");
  }

  private static JsonNode json(RoundResult... rounds) throws IOException {
    return new ObjectMapper().readTree(report(rounds).json());
  }

  private static FaultsReport report(RoundResult... rounds) {
    return report(Set.of(), rounds);
  }

  private static FaultsReport report(Set<String> skipped, RoundResult... rounds) {
    return new FaultsReport(
        7, List.of(rounds), skipped, "4.3.6", "H2 2", DatabaseFault.RESTARTED, 30);
  }

  private static RoundResult round(String fault, int lost, long worst, List<String> broken) {
    return new RoundResult(
        fault,
        HoldQueueType.QUORUM,
        Map.of(Figure.MESSAGES, 10, Figure.HANDLED, 10 - lost, Figure.LOST, lost),
        worst,
        "none-wheel-quorum",
        broken,
        Map.of(fault, 1));
  }
}
