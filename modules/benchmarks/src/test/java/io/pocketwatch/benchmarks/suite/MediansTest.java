// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class MediansTest {

  @Test
  void the_median_is_the_middle_or_between_the_middle_two() {
    assertThat(Medians.median(5, 1, 9)).isEqualTo(5);
    assertThat(Medians.median(4, 1, 9, 2)).isEqualTo(3);
    assertThat(Medians.median(7)).isEqualTo(7);
  }

  @Test
  void cases_take_turns_at_going_first() {
    assertThat(Rounds.inTurn(List.of("a", "b", "c"), 0)).containsExactly("a", "b", "c");
    assertThat(Rounds.inTurn(List.of("a", "b", "c"), 1)).containsExactly("c", "b", "a");
    assertThat(Rounds.inTurn(List.of("a", "b", "c"), -1)).containsExactly("c", "b", "a");
  }
}
