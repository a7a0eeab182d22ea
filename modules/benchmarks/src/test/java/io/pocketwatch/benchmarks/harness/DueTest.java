// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class DueTest {
  private static final long START = 1_000_000;
  private static final long NOW = START + 500;

  private final SplittableRandom random = new SplittableRandom(1);

  @Test
  void random_delays_count_from_the_moment_of_asking() {
    Due due = Due.within(Duration.ofMillis(10), Duration.ofMillis(12));

    assertThat(many(due)).containsOnly(NOW + 10, NOW + 11, NOW + 12);
  }

  @Test
  void a_burst_counts_from_the_beginning_of_the_trial() {
    Due due = Due.burst(Duration.ofSeconds(5), Duration.ofMillis(2));

    assertThat(many(due)).containsOnly(START + 5_000, START + 5_001);
  }

  @Test
  void a_fixed_delay_is_always_the_same() {
    assertThat(many(Due.after(Duration.ofSeconds(3)))).containsOnly(NOW + 3_000);
  }

  private long[] many(Due due) {
    return LongStream.range(0, 100).map(i -> due.millis(random, START, NOW)).toArray();
  }
}
