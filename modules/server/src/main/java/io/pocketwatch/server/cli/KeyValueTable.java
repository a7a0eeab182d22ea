// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import io.pocketwatch.screen.Json;
import io.pocketwatch.screen.Visible;
import io.pocketwatch.server.view.TimeText;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Prints names and values, one pair a line; null values are left out. */
final class KeyValueTable {
  private static final int NAME_COLUMN = 16;

  private KeyValueTable() {}

  static List<String> lines(
      String indent, Map<String, ? extends @Nullable Object> facts, Instant now) {
    String line = "%s%-" + (NAME_COLUMN - indent.length()) + "s  %s";
    return facts.entrySet().stream()
        .filter(each -> each.getValue() != null)
        .map(
            each ->
                line.formatted(
                    indent, Visible.word(each.getKey()), Visible.word(word(each.getValue(), now))))
        .toList();
  }

  static String word(@Nullable Object value, Instant now) {
    if (value instanceof Instant instant) {
      return "%s (%s)".formatted(TimeText.show(instant), TimeText.relative(instant, now));
    }
    return value instanceof Map<?, ?> || value instanceof List<?>
        ? Json.line(value)
        : String.valueOf(value);
  }
}
