// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReachedTest {
  private static final Instant START = Instant.parse("2026-01-02T12:00:00Z");
  private final Reached reached = new Reached(Duration.ofSeconds(80));

  @Test
  void what_was_reached_just_now_is_no_evidence_yet() {
    assertThat(reached.before("a", START, START)).isNull();
    assertThat(reached.before("a", at(79), at(70))).isNull();
    assertThat(reached.before("a", at(80), at(70))).isEqualTo(START);
  }

  @Test
  void each_look_becomes_evidence_a_grace_later_and_stays_it_until_the_next_does() {
    for (int second : List.of(0, 10, 30)) {
      reached.before("a", at(second), at(second - 5));
    }

    assertThat(reached.before("a", at(80), at(75))).isEqualTo(at(-5));
    assertThat(reached.before("a", at(95), at(75))).isEqualTo(at(5));
    assertThat(reached.before("a", at(109), at(75))).isEqualTo(at(5));
    assertThat(reached.before("a", at(500), at(490))).isEqualTo(at(75));
  }

  @Test
  void looks_in_quick_succession_still_grow_old() {
    for (int second = 0; second < 200; second++) {
      Instant before = reached.before("a", at(second), at(second));
      if (second >= 90) {
        assertThat(before).isBetween(at(second - 90), at(second - 80));
      }
    }
  }

  @Test
  void a_route_on_which_nothing_was_settled_has_no_evidence() {
    reached.before("a", START, null);

    assertThat(reached.before("a", at(100), null)).isNull();
  }

  @Test
  void a_route_that_is_through_begins_anew() {
    reached.before("a", START, START);
    reached.before("b", START, START);
    reached.only(Set.of("b"));

    assertThat(reached.before("a", at(80), at(80))).isNull();
    assertThat(reached.before("b", at(80), at(80))).isEqualTo(START);
  }

  private static Instant at(int second) {
    return START.plusSeconds(second);
  }
}
