// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.store.OverviewStore.Lateness;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LatenessTest {
  @Test
  void nothing_has_no_percentile() {
    assertThat(Lateness.NONE.percentile(0.5)).isEmpty();
  }

  @Test
  void values_are_spread_evenly_between_two_bounds() {
    Lateness all = late(3, 80).plus(late(5, 20)); // 80 of 5 to 10 ms, 20 of 20 to 50 ms
    assertThat(all.percentile(0.4)).contains(Duration.ofNanos(7_500_000));
    assertThat(all.percentile(0.8)).contains(Duration.ofMillis(10));
    assertThat(all.percentile(0.9)).contains(Duration.ofMillis(35));
    assertThat(all.percentile(1)).contains(Duration.ofMillis(50));
  }

  @Test
  void what_is_later_than_the_last_bound_counts_as_that() {
    assertThat(late(Lateness.BOUNDS.size(), 3).percentile(0.5)).contains(Duration.ofDays(1));
  }

  private static Lateness late(int bucket, long count) {
    List<Long> counts = new ArrayList<>(Lateness.NONE.counts());
    counts.set(bucket, count);
    return new Lateness(counts);
  }
}
