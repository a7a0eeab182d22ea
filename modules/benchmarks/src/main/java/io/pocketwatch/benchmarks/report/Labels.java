// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.report;

import java.util.Map;
import java.util.stream.Collectors;

/** What one measured thing is called: the subject, and under which setting. */
public final class Labels {
  private Labels() {}

  /** {@code wheel-quorum rate=4000}. */
  public static String of(String name, Map<String, Object> setting) {
    return setting.isEmpty() ? name : name + " " + of(setting);
  }

  static String of(Figures figures) {
    return of(figures.name(), figures.setting());
  }

  /** {@code rate=4000 members=3}, sorted, so that equal settings have equal labels. */
  static String of(Map<String, Object> setting) {
    return setting.entrySet().stream()
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .sorted()
        .collect(Collectors.joining(" "));
  }
}
