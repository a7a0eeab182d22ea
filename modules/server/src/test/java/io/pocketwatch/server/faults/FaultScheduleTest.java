// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FaultScheduleTest {
  private static final Duration LENGTH = Duration.ofSeconds(100);
  private static final Map<FaultKind, Integer> KILLS =
      Map.of(FaultKind.LOADER, 10, FaultKind.BROKER, 3, FaultKind.DATABASE, 1);

  @Test
  void every_kill_falls_into_one_round_and_the_rounds_get_alike_many() {
    List<List<Fault>> rounds = FaultSchedule.of(KILLS, 4, LENGTH, new Random(7)).rounds();

    assertThat(rounds).hasSize(4).allSatisfy(round -> assertThat(round).hasSizeBetween(3, 4));
    List<FaultKind> kinds = rounds.stream().flatMap(List::stream).map(Fault::kind).toList();
    KILLS.forEach(
        (kind, count) -> assertThat(kinds).filteredOn(kind::equals).as(kind.word()).hasSize(count));
  }

  @Test
  void faults_are_in_order_and_neither_before_there_is_work_nor_after() {
    List<Fault> faults = FaultSchedule.of(KILLS, 1, LENGTH, new Random(7)).rounds().get(0);

    assertThat(faults).isSortedAccordingTo(Comparator.comparing(Fault::at));
    assertThat(faults)
        .allSatisfy(
            fault ->
                assertThat(fault.at()).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(90)));
  }

  @Test
  void a_seed_repeats_the_schedule() {
    assertThat(FaultSchedule.of(KILLS, 3, LENGTH, new Random(1)))
        .isEqualTo(FaultSchedule.of(KILLS, 3, LENGTH, new Random(1)))
        .isNotEqualTo(FaultSchedule.of(KILLS, 3, LENGTH, new Random(2)));
  }

  @Test
  void thirty_thousand_messages_get_ten_kills_of_the_loader_and_three_of_the_broker() {
    assertThat(FaultKind.LOADER.usualKills(30_000)).isEqualTo(10);
    assertThat(FaultKind.BROKER.usualKills(30_000)).isEqualTo(3);
    assertThat(FaultKind.DATABASE.usualKills(30_000)).isEqualTo(1);
    assertThat(FaultKind.LOADER.usualKills(10)).isEqualTo(1);
  }
}
