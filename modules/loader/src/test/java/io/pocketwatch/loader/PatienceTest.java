// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.route.LoaderOptions;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class PatienceTest {
  private static final LoaderOptions OPTIONS =
      LoaderOptions.defaults().withSweep(Duration.ofSeconds(10));

  @Test
  void pauses_grow_from_the_sweep_to_five_minutes() {
    assertThat(Patience.pause(OPTIONS, 0)).isEqualTo(Duration.ofSeconds(10));
    assertThat(Patience.pause(OPTIONS, 2)).isEqualTo(Duration.ofSeconds(40));
    assertThat(Patience.pause(OPTIONS, 5)).isEqualTo(Duration.ofMinutes(5));
    assertThat(Patience.pause(OPTIONS, Integer.MAX_VALUE)).isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void a_long_sweep_is_not_waited_for_at_first() {
    LoaderOptions slow = OPTIONS.withSweep(Duration.ofMinutes(30));

    assertThat(Patience.pause(slow, 0)).isEqualTo(Duration.ofSeconds(30));
    assertThat(Patience.pause(slow, 100)).isEqualTo(Duration.ofMinutes(30));
  }

  @Test
  void targets_are_waited_for_from_the_due_time_on() {
    Instant due = Instant.parse("2026-01-01T00:00:00Z");

    assertThat(Patience.over(OPTIONS, due, due.plus(OPTIONS.targetPatience()))).isFalse();
    assertThat(Patience.over(OPTIONS, due, due.plus(OPTIONS.targetPatience()).plusMillis(1)))
        .isTrue();
  }
}
