// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

import static io.pocketwatch.lab.demo.Messages.DUE;
import static io.pocketwatch.lab.demo.Messages.confirmed;
import static io.pocketwatch.lab.demo.Messages.delivery;
import static io.pocketwatch.lab.demo.Messages.order;
import static io.pocketwatch.lab.demo.Messages.paidOrder;
import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayStrategy;
import java.util.List;
import org.junit.jupiter.api.Test;

class LedgerTest {

  private final Ledger ledger = new Ledger("run", List.of(order(1), order(2), paidOrder(3)));

  @Test
  void counts_what_is_still_to_come() {
    assertThat(ledger.open()).isEqualTo(3);

    for (String id : List.of("run-1", "run-2", "run-3")) {
      ledger.published(id, confirmed(id));
    }
    assertThat(ledger.open()).isEqualTo(3);

    ledger.arrived(delivery("run-1"), DUE.plusMillis(1));
    ledger.cancelAnswered("run-3", ChangeOutcome.DONE);
    assertThat(ledger.open()).isEqualTo(1);
    assertThat(ledger.arrived()).isEqualTo(1);
    assertThat(ledger.cancelled()).isEqualTo(1);
    assertThat(ledger.lastArrival()).isEqualTo(DUE.plusMillis(1));

    ledger.failed("run-2", new IllegalStateException("closed"));
    assertThat(ledger.open()).as("confirmed, so still awaited").isEqualTo(1);
  }

  @Test
  void duplicates_are_counted_apart_and_never_as_arrived_twice() {
    ledger.published("run-1", confirmed("run-1"));
    ledger.arrived(delivery("run-1"), DUE.plusMillis(1));
    ledger.arrived(delivery("run-1"), DUE.plusMillis(2));

    Counts counts = total();
    assertThat(ledger.arrived()).isEqualTo(1);
    assertThat(counts.delivered()).isEqualTo(1);
    assertThat(counts.duplicates()).isEqualTo(1);
  }

  @Test
  void what_another_run_left_behind_is_no_arrival_of_ours() {
    ledger.arrived(delivery("earlier-1"), DUE);

    assertThat(ledger.strangers()).isEqualTo(1);
    assertThat(ledger.arrived()).isZero();
    assertThat(total().delivered()).isZero();
  }

  @Test
  void every_message_has_one_fate() {
    ledger.published("run-1", confirmed("run-1"));
    ledger.arrived(delivery("run-1"), DUE.minusMillis(1));
    ledger.published("run-2", confirmed("run-2"));

    Counts counts = total();

    assertThat(counts.scheduled()).isEqualTo(3);
    assertThat(counts.delivered()).isEqualTo(1);
    assertThat(counts.early()).isEqualTo(1);
    assertThat(counts.lost()).isEqualTo(1);
    assertThat(counts.unexplained()).isEqualTo(1);
    assertThat(counts.sound()).isFalse();
    assertThat(ledger.problems(2))
        .hasSize(2)
        .satisfiesExactly(
            early -> assertThat(early).startsWith("order 1: DELIVERED").contains("PT-0.001S"),
            lost -> assertThat(lost).startsWith("order 2: LOST"));
  }

  private Counts total() {
    return ledger.tallies().get(DelayStrategy.QUEUE_WHEEL).counts();
  }
}
