// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.screen;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ScreenTest {

  @Test
  void sentences_break_at_words() {
    assertThat(Screen.wrap("  Held: 1,000 copies of the orders, none twice.", 20))
        .containsExactly("  Held: 1,000 copies", "  of the orders,", "  none twice.");
  }

  @Test
  void what_stands_behind_a_name_goes_on_behind_it() {
    assertThat(Screen.wrap("  STORE    rows in an H2 database in memory", 26))
        .containsExactly("  STORE    rows in an H2", "           database in", "           memory");
  }

  @Test
  void a_word_that_is_too_long_stays_whole() {
    assertThat(Screen.wrap("Kept in /tmp/a-very-long-path/to-it for you", 12))
        .containsExactly("Kept in", "/tmp/a-very-long-path/to-it", "for you");
    assertThat(Screen.wrap("", 80)).containsExactly("");
  }
}
