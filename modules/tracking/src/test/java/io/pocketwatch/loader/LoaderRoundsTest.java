// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LoaderRoundsTest {
  @Test
  void a_look_in_full_takes_a_tenth_of_the_time_at_most_and_comes_once_a_minute_at_least() {
    assertThat(untilNext(Duration.ofMillis(20))).isEqualTo(Duration.ofSeconds(5));
    assertThat(untilNext(Duration.ofMillis(3_600))).isEqualTo(Duration.ofSeconds(36));
    assertThat(untilNext(Duration.ofSeconds(29))).isEqualTo(Duration.ofMinutes(1));
  }

  private static Duration untilNext(Duration took) {
    return Duration.ofMillis(LoaderRounds.untilNextInFull(took));
  }
}
