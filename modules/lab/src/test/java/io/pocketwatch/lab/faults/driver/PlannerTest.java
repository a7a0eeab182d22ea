// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.lab.faults.catalogue.Catalogue;
import io.pocketwatch.lab.faults.catalogue.Fault;
import io.pocketwatch.lab.faults.driver.RoundPlan.Strike;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PlannerTest {
  private static final Duration LENGTH = Duration.ofSeconds(100);
  private static final List<HoldQueueType> BOTH = List.of(HoldQueueType.values());

  @Test
  void every_fault_strikes_with_each_type_of_hold_queue() {
    int all = Catalogue.ALL.size() * BOTH.size();
    List<RoundPlan> rounds = planner(3).each(Catalogue.ALL, BOTH, all);

    assertThat(rounds)
        .extracting(round -> round.hold() + " " + round.name())
        .doesNotHaveDuplicates()
        .hasSize(all);
  }

  @Test
  void rounds_that_can_share_a_broker_come_one_after_the_other() {
    List<RoundPlan> rounds = planner(3).each(Catalogue.ALL, BOTH, 100);

    assertThat(rounds).hasSize(100);
    assertThat(rounds)
        .isSortedAccordingTo(Comparator.comparing(RoundPlan::place).thenComparing(RoundPlan::hold));
  }

  @Test
  void a_seed_repeats_the_plan() {
    assertThat(planner(1).each(Catalogue.ALL, BOTH, 20))
        .isEqualTo(planner(1).each(Catalogue.ALL, BOTH, 20))
        .isNotEqualTo(planner(2).each(Catalogue.ALL, BOTH, 20));
  }

  @Test
  void a_fault_strikes_neither_before_there_is_work_nor_after() {
    assertThat(planner(3).each(Catalogue.ALL, BOTH, 60))
        .flatExtracting(RoundPlan::strikes)
        .extracting(Strike::at)
        .allSatisfy(at -> assertThat(at).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(50)));
  }

  @Test
  void several_kills_are_spread_over_the_rounds() {
    Map<String, Integer> kills = Map.of("loader-killed", 10, "broker-killed", 3);
    List<RoundPlan> rounds = planner(7).several(kills, 4);

    assertThat(rounds).hasSize(4);
    assertThat(rounds).allSatisfy(round -> assertThat(round.strikes()).hasSizeBetween(3, 4));
    assertThat(rounds)
        .flatExtracting(RoundPlan::strikes)
        .extracting(Strike::fault)
        .extracting(Fault::name)
        .filteredOn("loader-killed"::equals)
        .hasSize(10);
  }

  @Test
  void in_a_long_run_one_strikes_now_and_then_and_each_in_its_turn() {
    List<Strike> strikes = planner(7).nowAndThen(Catalogue.MILD, Duration.ofSeconds(10));

    assertThat(strikes).hasSize(9);
    assertThat(strikes.subList(0, Catalogue.MILD.size()))
        .extracting(Strike::fault)
        .containsExactlyInAnyOrderElementsOf(Catalogue.MILD);
    for (int i = 0; i < strikes.size(); i++) {
      Duration even = Duration.ofSeconds(10 * (i + 1));
      assertThat(strikes.get(i).at()).isBetween(even.minusSeconds(1), even.plusSeconds(1));
    }
  }

  private static Planner planner(long seed) {
    return new Planner(LENGTH, new Random(seed));
  }
}
