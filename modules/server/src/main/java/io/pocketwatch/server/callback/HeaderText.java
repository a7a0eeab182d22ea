// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Encodes any text as the value of an HTTP header, which may only be printable ASCII without blanks
 * at its edges. Percent-decoding as UTF-8 gives the text again.
 */
final class HeaderText {
  private HeaderText() {}

  /** The text itself if it may stand there and holds no {@code %}; else percent-encoded UTF-8. */
  static String of(String text) {
    boolean plain = text.equals(text.strip()) && text.chars().allMatch(HeaderText::plain);
    return plain ? text : encoded(text);
  }

  private static boolean plain(int character) {
    return character == ' ' || stays(character);
  }

  private static boolean stays(int character) {
    return character > ' ' && character <= '~' && character != '%';
  }

  private static String encoded(String text) {
    StringBuilder encoded = new StringBuilder();
    for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
      if (stays(each)) {
        encoded.append((char) each);
      } else {
        encoded.append(String.format(Locale.ROOT, "%%%02X", each));
      }
    }
    return encoded.toString();
  }
}
