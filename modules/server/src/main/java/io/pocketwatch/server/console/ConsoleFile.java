// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.console;

import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One file of the page.
 *
 * @param tag changes with the content; weak, as it may be sent compressed
 */
record ConsoleFile(byte[] content, String type, String tag) {
  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "json", "application/json",
          "svg", "image/svg+xml");

  static @Nullable String type(String name) {
    return TYPES.get(name.substring(name.lastIndexOf('.') + 1));
  }

  static ConsoleFile of(byte[] content, String type) {
    String hash = UUID.nameUUIDFromBytes(content).toString();
    return new ConsoleFile(content, type, "W/\"" + hash + "\"");
  }

  boolean isKnownTo(@Nullable String ifNoneMatch) {
    return ifNoneMatch != null && ifNoneMatch.contains(tag);
  }
}
