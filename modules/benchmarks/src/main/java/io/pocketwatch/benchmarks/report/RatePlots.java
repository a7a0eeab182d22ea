// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.report;

import java.util.List;

/** How much per second: taken, and delivered. */
final class RatePlots {
  private RatePlots() {}

  static List<Plot> of(List<Figures> subjects) {
    Bars bars = new Bars();
    for (Figures figures : subjects) {
      Double publish = figures.publishPerSecond();
      Double drain = figures.drainPerSecond();
      if (publish != null) {
        bars.add("publish", Labels.of(figures), publish);
      }
      if (drain != null) {
        bars.add("drain", Labels.of(figures), drain);
      }
    }
    return bars.isEmpty()
        ? List.of()
        : List.of(bars.plot("rates", "Messages per second", "messages/s"));
  }
}
