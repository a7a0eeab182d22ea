// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ChangeLogTest {
  @Test
  void nothing_ends_the_line_or_speaks_to_a_terminal() {
    assertThat(ChangeLog.printable("order-4711/ä 中")).isEqualTo("order-4711/ä 中");
    assertThat(ChangeLog.printable("a\r\nINFO forged\u001b[31m\u202e\u2028"))
        .isEqualTo("a\\u{d}\\u{a}INFO forged\\u{1b}[31m\\u{202e}\\u{2028}");
  }
}
