// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.screen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TextTableTest {

  @Test
  void names_to_the_left_and_numbers_to_the_right() {
    TextTable table = new TextTable("strategy", "sent", "late");
    table.row("TTL_QUEUE", "1,000", "3.3");
    table.row("all", "9", "-");

    assertThat(table.lines())
        .containsExactly(
            "strategy    sent  late", //
            "TTL_QUEUE  1,000   3.3",
            "all            9     -");
  }

  @Test
  void a_row_of_another_length_is_refused() {
    TextTable table = new TextTable("one", "two");

    assertThatThrownBy(() -> table.row("1")).hasMessageContaining("1 cells for 2 columns: [1]");
  }
}
