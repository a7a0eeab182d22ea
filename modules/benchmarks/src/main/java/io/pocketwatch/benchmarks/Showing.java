// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks;

import io.pocketwatch.benchmarks.report.Results;
import io.pocketwatch.screen.Screen;
import java.nio.file.Path;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Results on the screen and in their folder. */
final class Showing {
  private final Screen screen;

  private Showing(Screen screen) {
    this.screen = screen;
  }

  static Showing of(Screen screen) {
    return new Showing(screen);
  }

  void show(Results results, Map<String, Histogram> lateness, Path folder) {
    screen.result(results.ratios().toString());
  }
}
