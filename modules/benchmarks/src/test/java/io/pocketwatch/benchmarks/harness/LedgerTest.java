// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LedgerTest {
  private static final long A_MINUTE = 60_000;

  private final Ledger ledger = new Ledger();

  @Test
  void arrivals_are_counted_once_and_repetitions_apart() {
    ledger.next(2);
    ledger.due(0, System.currentTimeMillis() - 1_000);
    ledger.arrived(0);
    ledger.arrived(0);

    assertThat(ledger.arrived()).isEqualTo(1);
    assertThat(ledger.repeated()).isEqualTo(1);
    assertThat(ledger.early()).isZero();
    assertThat(ledger.lateness().getMinValue()).isGreaterThanOrEqualTo(999_000);
  }

  @Test
  void what_arrives_before_its_instant_is_early() {
    ledger.next(1);
    ledger.due(0, System.currentTimeMillis() + A_MINUTE);
    ledger.arrived(0);

    assertThat(ledger.early()).isEqualTo(1);
    assertThat(ledger.worstEarlyMicros()).isBetween(1_000_000L, A_MINUTE * 1_000);
  }

  @Test
  void a_lane_used_again_does_not_count_what_is_left_of_the_trial_before() {
    ledger.next(3);
    ledger.next(2);
    ledger.due(ledger.first(), System.currentTimeMillis());
    ledger.arrived(1);
    ledger.arrived(ledger.first());

    assertThat(ledger.first()).isEqualTo(3);
    assertThat(ledger.arrived()).isEqualTo(1);
  }

  @Test
  void the_first_refusal_is_remembered() {
    ledger.next(2);
    ledger.refused("full");
    ledger.refused("closed");

    assertThat(ledger.refused()).isEqualTo(2);
    assertThat(ledger.refusal()).isEqualTo("full");
  }
}
