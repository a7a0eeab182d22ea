// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.screen;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class VisibleTest {

  @Test
  void what_a_terminal_would_obey_is_shown_as_json_writes_it() {
    assertThat(Visible.word("\u001b[31mRED\u001b]0;pwned\u0007\r\n\u009b2J"))
        .isEqualTo("\\u001b[31mRED\\u001b]0;pwned\\u0007\\u000d\\u000a\\u009b2J");
    assertThat(Visible.word("\u202eevil\u2066 \u200b\ufeff\u2028"))
        .isEqualTo("\\u202eevil\\u2066 \\u200b\\ufeff\\u2028");
    assertThat(Visible.word("订单 4711, größer ✓ 🎉")).isEqualTo("订单 4711, größer ✓ 🎉");
    assertThat(Visible.lines("a\nb\rc")).isEqualTo("a\nb\\u000dc");
  }

  @Test
  void a_json_line_means_the_same() {
    assertThat(Visible.lines(Json.line(java.util.List.of("\u009b\u202e"))))
        .isEqualTo("[\"\\u009b\\u202e\"]");
  }

  @Test
  void the_middle_of_a_long_one_is_cut_out() {
    assertThat(Visible.brief("x".repeat(200) + "END", 12)).isEqualTo("xxxxxxx…xEND");
    assertThat(Visible.brief("🎉".repeat(20), 6)).isEqualTo("🎉🎉🎉…🎉🎉");
    assertThat(Visible.brief("short", 5)).isEqualTo("short");
  }

  @Test
  void a_row_is_one_line() {
    TextTable table = TextTable.ofWords("id", "state");
    table.row("a\nb", "\u001b[2J");

    assertThat(table.lines()).hasSize(2).last().isEqualTo("a\\u000ab  \\u001b[2J");
  }
}
