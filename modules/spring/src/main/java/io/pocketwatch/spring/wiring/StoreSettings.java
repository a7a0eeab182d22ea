// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import java.util.Map;
import java.util.Set;

/**
 * The section {@code store} of an application: its tables lie in a {@code DataSource} of the
 * application, if it says so.
 *
 * @param enabled whether there is a store; nothing is stored unless somebody says so
 * @param createSchema whether missing tables are created at the start, which needs Flyway
 * @param tablePrefix what the names of the tables begin with
 */
public record StoreSettings(boolean enabled, boolean createSchema, String tablePrefix) {
  private static final Set<String> KEYS = Set.of("enabled", "create-schema", "table-prefix");

  static StoreSettings of(Map<String, ?> section) {
    Sections.allow("store", section, KEYS);
    return new StoreSettings(
        Sections.truth("store", section, "enabled", false),
        Sections.truth("store", section, "create-schema", false),
        Sections.text(section, "table-prefix", "pocketwatch_"));
  }
}
