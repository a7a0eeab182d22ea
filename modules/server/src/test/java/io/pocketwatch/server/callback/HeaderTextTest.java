// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeaderTextTest {
  @ParameterizedTest
  @ValueSource(strings = {"", "order-4711", "two words", "a+b/c?d=\"e\"~"})
  void printable_ascii_stands_as_it_is(String text) {
    assertThat(HeaderText.of(text)).isEqualTo(text);
  }

  @Test
  void the_rest_is_percent_encoded_utf_8() {
    assertThat(HeaderText.of("100%")).isEqualTo("100%25");
    assertThat(HeaderText.of(" edge")).isEqualTo("%20edge");
    assertThat(HeaderText.of("edge ")).isEqualTo("edge%20");
    assertThat(HeaderText.of("größe 1")).isEqualTo("gr%C3%B6%C3%9Fe%201");
    assertThat(HeaderText.of("a\r\nHost: b\t\u007f")).isEqualTo("a%0D%0AHost:%20b%09%7F");
  }

  @ParameterizedTest
  @ValueSource(strings = {"100%", " a b ", "größe", "订单-1", "\uD83D\uDE00", "\u00a0", "\u0000"})
  void it_is_decoded_to_what_it_was(String text) {
    String sent = HeaderText.of(text);

    assertThat(sent).matches("[!-~]+");
    assertThat(URLDecoder.decode(sent, StandardCharsets.UTF_8)).isEqualTo(text);
  }
}
