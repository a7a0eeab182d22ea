// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.level;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * All that was measured at one moment.
 *
 * @param at since the beginning of the run
 * @param values those that could be had
 * @param lives which life of its process each part was in
 */
public record Sample(Duration at, Map<Gauge, Long> values, Map<Part, Long> lives) {
  private static final List<Kind> BRIEF =
      List.of(Kind.HEAP, Kind.MEMORY, Kind.CONNECTIONS, Kind.QUEUES);

  /** The few values one looks at while it runs. */
  public Map<String, String> brief() {
    Map<String, String> brief = new LinkedHashMap<>();
    for (Gauge gauge : Gauge.ALL) {
      Long value = values.get(gauge);
      if (value != null && BRIEF.contains(gauge.kind())) {
        brief.put(
            gauge.kind().bytes() ? gauge.part().word() : gauge.kind().words(), gauge.show(value));
      }
    }
    return brief;
  }
}
