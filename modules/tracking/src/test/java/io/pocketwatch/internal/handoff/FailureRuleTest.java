// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.config.LoaderOptions;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class FailureRuleTest {
  private static final LoaderOptions OPTIONS =
      LoaderOptions.builder().sweep(Duration.ofSeconds(10)).build();

  @Test
  void pauses_grow_from_the_sweep_to_five_minutes() {
    assertThat(FailureRule.pause(OPTIONS, 0)).isEqualTo(Duration.ofSeconds(10));
    assertThat(FailureRule.pause(OPTIONS, 2)).isEqualTo(Duration.ofSeconds(40));
    assertThat(FailureRule.pause(OPTIONS, 5)).isEqualTo(Duration.ofMinutes(5));
    assertThat(FailureRule.pause(OPTIONS, Integer.MAX_VALUE)).isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void a_long_sweep_is_not_waited_for_at_first() {
    LoaderOptions slow = OPTIONS.toBuilder().sweep(Duration.ofMinutes(30)).build();

    assertThat(FailureRule.pause(slow, 0)).isEqualTo(Duration.ofSeconds(30));
    assertThat(FailureRule.pause(slow, 100)).isEqualTo(Duration.ofMinutes(30));
  }

  @Test
  void targets_are_waited_for_from_the_due_time_on() {
    Instant due = Instant.parse("2026-01-01T00:00:00Z");
    Instant end = due.plus(OPTIONS.targetPatience());

    assertThat(FailureRule.over(OPTIONS, 1_000, due, end)).isFalse();
    assertThat(FailureRule.over(OPTIONS, 1_000, due, end.plusMillis(1))).isTrue();
  }

  @Test
  void and_as_long_from_when_they_were_first_missed() {
    Instant due = Instant.parse("2026-01-01T00:00:00Z");
    Instant afterTheOutage = due.plus(Duration.ofDays(1));
    // 10 + 20 + 40 + 80 + 160 s, then 11 times 5 min: 60:10
    assertThat(FailureRule.over(OPTIONS, 0, due, afterTheOutage)).isFalse();
    assertThat(FailureRule.over(OPTIONS, 15, due, afterTheOutage)).isFalse();
    assertThat(FailureRule.over(OPTIONS, 16, due, afterTheOutage)).isTrue();
  }
}
