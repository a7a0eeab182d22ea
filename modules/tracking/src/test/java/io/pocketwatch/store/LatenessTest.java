// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.store.OverviewStore.Lateness;
import io.pocketwatch.store.OverviewStore.Lateness.Between;
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
  void a_percentile_is_two_bounds_and_nothing_in_between() {
    Lateness all = late(3, 80).plus(late(5, 20)); // 80 of 5 to 10 ms, 20 of 20 to 50 ms
    assertThat(all.percentile(0.4)).contains(between(5, 10));
    assertThat(all.percentile(0.8)).contains(between(5, 10));
    assertThat(all.percentile(0.801)).contains(between(20, 50));
    assertThat(all.percentile(1)).contains(between(20, 50));
  }

  /** All of them 38 min late: 59 min 33 s would be invented. */
  @Test
  void twelve_messages_of_one_lateness() {
    assertThat(late(17, 12).percentile(0.99)).contains(between(900_000, 3_600_000));
  }

  @Test
  void what_is_early_or_in_time_is_at_most_the_first_bound() {
    assertThat(late(0, 5).percentile(0)).contains(new Between(null, Duration.ofMillis(1)));
  }

  @Test
  void what_is_later_than_the_last_bound_has_no_upper_one() {
    assertThat(late(Lateness.BOUNDS.size(), 3).percentile(0.5))
        .contains(new Between(Duration.ofDays(1), null));
  }

  private static Between between(long moreThanMillis, long atMostMillis) {
    return new Between(Duration.ofMillis(moreThanMillis), Duration.ofMillis(atMostMillis));
  }

  private static Lateness late(int bucket, long count) {
    List<Long> counts = new ArrayList<>(Lateness.NONE.counts());
    counts.set(bucket, count);
    return new Lateness(counts);
  }
}
