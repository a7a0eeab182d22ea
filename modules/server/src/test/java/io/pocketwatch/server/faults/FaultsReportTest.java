// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FaultsReportTest {
  private static final RoundResult ROUND =
      new RoundResult(
          10,
          10,
          10,
          0,
          0,
          1,
          0,
          70,
          0,
          0,
          0,
          0,
          0,
          0,
          Map.of(FaultKind.LOADER, 2, FaultKind.DATABASE, 1));

  @Test
  void says_which_database_it_was_and_that_it_was_killed() throws IOException {
    FaultsReport report = report("PostgreSQL 15 at …", DatabaseFault.KILLED);
    JsonNode json = new ObjectMapper().readTree(report.json());

    assertThat(json.get("database").textValue()).isEqualTo("PostgreSQL 15 at …");
    assertThat(json.get("databaseFault").textValue()).isEqualTo("killed");
    assertThat(json.at("/kills/database").intValue()).isEqualTo(1);
    assertThat(report.verdict()).contains("2 of the loader").doesNotContain("restart");
  }

  @Test
  void does_not_sell_an_orderly_restart_as_a_kill() throws IOException {
    FaultsReport report = report("H2 2 at …", DatabaseFault.RESTARTED);

    assertThat(new ObjectMapper().readTree(report.json()).get("databaseFault").textValue())
        .isEqualTo("restarted");
    assertThat(report.verdict()).contains("1 of the database (orderly restarts)");
  }

  private static FaultsReport report(String database, DatabaseFault fault) {
    return new FaultsReport(7, List.of(ROUND), "4.3.6", database, fault, 30);
  }
}
