// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.LocalBroker;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The demo on a real broker that it did not start. */
class DemoIT {

  private static final String CONFIG = "../../config/pocketwatch.yml";

  private static BrokerNode node;

  @BeforeAll
  static void startBroker() {
    node =
        LocalBroker.find(
            LocalBrokerOptions.defaults().withControllable(true).withPlugins(List.of()));
  }

  @AfterAll
  static void endBroker() {
    node.close();
  }

  @Test
  void every_message_is_accounted_for_and_nothing_is_left_behind() throws IOException {
    CommandRun run =
        CommandRun.of(
            "demo",
            "--json",
            "--messages=120",
            "--seconds=6",
            "--config=" + CONFIG,
            "--broker=" + node.amqpUri());

    assertThat(run.exitCode()).as("%s", run).isZero();
    assertThat(run.out()).hasSize(1);
    JsonNode report = new ObjectMapper().readTree(run.lastOut());
    assertThat(report.get("scheduled").intValue()).isEqualTo(120);
    int delivered = report.get("delivered").intValue();
    int cancelled = report.get("cancelled").intValue();
    assertThat(delivered + cancelled).isEqualTo(120);
    assertThat(cancelled).isPositive();
    for (String fault : List.of("unconfirmed", "lost", "early", "unexplained")) {
      assertThat(report.get(fault).intValue()).as(fault).isZero();
    }
    assertThat(report.at("/latenessMs/p50").doubleValue()).isPositive();
    assertThat(report.get("strategies").fieldNames())
        .toIterable()
        .contains("TTL_QUEUE", "QUEUE_WHEEL", "TEMPORARY_QUEUE");
    JsonNode store = report.get("store");
    int tasks = store.get("scheduled").intValue();
    assertThat(tasks).isPositive();
    assertThat(store.get("arrived").intValue() + store.get("cancelled").intValue())
        .isEqualTo(tasks);
    assertThat(store.get("cancelled").intValue()).isEqualTo(1);
    assertThat(store.get("moved").intValue()).isEqualTo(1);
    for (String fault : List.of("lost", "early", "duplicates", "unexplained")) {
      assertThat(store.get(fault).intValue()).as(fault).isZero();
    }
    assertThat(report.at("/broker/version").textValue()).isEqualTo(node.version());
    assertThat(node.ctl("-q", "list_queues", "name"))
        .as("%s", run)
        .doesNotContain("pocketwatch-demo");
    assertThat(node.ctl("-q", "list_exchanges", "name")).doesNotContain("pocketwatch-demo");
  }
}
