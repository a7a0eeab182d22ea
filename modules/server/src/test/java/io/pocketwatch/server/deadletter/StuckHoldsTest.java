// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.server.deadletter.BrokenHold.State;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class StuckHoldsTest {
  private static final BrokenHold REFUSED = broken("refused", State.REFUSED);
  private static final BrokenHold STUCK = broken("stuck", State.STUCK);

  private final StuckHolds holds = new StuckHolds();
  private final Instant begin = Instant.parse("2026-11-23T12:00:00Z");

  @Test
  void what_passes_nothing_on_counts_when_it_lasts_and_what_refuses_at_once() {
    assertThat(after(Duration.ZERO, REFUSED, STUCK)).containsExactly(REFUSED);
    assertThat(after(Duration.ofSeconds(179), REFUSED, STUCK)).containsExactly(REFUSED);
    assertThat(after(Duration.ofMinutes(3), REFUSED, STUCK)).containsExactly(REFUSED, STUCK);
  }

  @Test
  void one_look_at_which_it_passed_something_on_begins_anew() {
    after(Duration.ZERO, STUCK);
    after(Duration.ofMinutes(2));

    assertThat(after(Duration.ofMinutes(4), STUCK)).isEmpty();
    assertThat(after(Duration.ofMinutes(7), STUCK)).containsExactly(STUCK);
  }

  private List<BrokenHold> after(Duration time, BrokenHold... found) {
    return holds.lasting(List.of(found), begin.plus(time));
  }

  private static BrokenHold broken(String queue, State state) {
    return new BrokenHold(queue, state, "says so", Duration.ofMinutes(1));
  }
}
