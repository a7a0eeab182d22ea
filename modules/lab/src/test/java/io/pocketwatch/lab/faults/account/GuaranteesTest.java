// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.lab.faults.catalogue.Catalogue;
import io.pocketwatch.lab.faults.catalogue.Fault;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class GuaranteesTest {

  @Test
  void every_fault_has_a_row_and_every_row_a_fault() {
    assertThat(Guarantees.faults())
        .containsExactlyInAnyOrderElementsOf(Catalogue.ALL.stream().map(Fault::name).toList());
  }

  @ParameterizedTest
  @EnumSource(HoldQueueType.class)
  void no_fault_may_lose_park_or_hasten_what_is_tracked_to_the_end(HoldQueueType hold) {
    for (String fault : Guarantees.faults()) {
      assertThat(Guarantees.allow(Set.of(fault), Tracking.FULL, hold))
          .as(fault)
          .isSubsetOf(Leave.TWICE);
    }
  }

  @Test
  void several_faults_may_do_what_each_of_them_may() {
    assertThat(
            Guarantees.allow(
                Set.of("loader-killed", "broker-wiped"), Tracking.NONE, HoldQueueType.QUORUM))
        .containsExactlyInAnyOrder(Leave.TWICE, Leave.LOST, Leave.PARKED);
  }

  @Test
  void a_fault_that_nobody_knows_is_an_error() {
    assertThatThrownBy(
            () -> Guarantees.allow(Set.of("earthquake"), Tracking.NONE, HoldQueueType.QUORUM))
        .hasMessageContaining("no row for earthquake");
  }
}
