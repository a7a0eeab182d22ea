// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.screen;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TerminalTest {

  @ParameterizedTest
  @CsvSource({"45 110, 110", "'24 80\n', 80", "0 0, 80", "'', 80", "nonsense, 80"})
  void width_as_stty_says_or_the_usual_one(String size, int columns) {
    assertThat(Terminal.ofSize(size).columns()).isEqualTo(columns);
  }
}
