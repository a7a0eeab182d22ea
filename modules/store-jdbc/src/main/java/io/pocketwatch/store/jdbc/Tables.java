// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import java.util.regex.Pattern;

/** The names of the tables, which share a prefix. */
record Tables(String prefix) {
  static final String DEFAULT_PREFIX = "pocketwatch_";
  private static final Pattern VALID = Pattern.compile("[a-z_][a-z0-9_]{0,29}");

  Tables {
    if (!VALID.matcher(prefix).matches()) {
      throw new IllegalArgumentException(
          "table prefix '" + prefix + "'; allowed: 1 to 30 of a-z, 0-9 and _, no digit first");
    }
  }

  String schema() {
    return prefix + "schema";
  }

  /** Puts table names in for {@code {message}}, {@code {progress}} and so on. */
  String in(String sql) {
    return sql.replace("{message}", prefix + "message")
        .replace("{progress}", prefix + "progress")
        .replace("{rollup}", prefix + "rollup")
        .replace("{rollup-end}", prefix + "rollup_end")
        .replace("{broker}", prefix + "broker")
        .replace("{change}", prefix + "change")
        .replace("{heartbeat}", prefix + "heartbeat")
        .replace("{schedule}", prefix + "schedule");
  }
}
