// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.report;

import java.awt.AWTError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a reader wants to see of each suite. */
final class Plots {
  private static final Logger LOG = LoggerFactory.getLogger(Plots.class);

  private Plots() {}

  /** Writes one SVG per plot; none, and a line in the log, where this Java cannot draw. */
  static List<Path> write(Path folder, Results results, Map<String, Histogram> latenessByLabel)
      throws IOException {
    System.setProperty("java.awt.headless", "true");
    List<Path> files = new ArrayList<>();
    try {
      for (Plot plot : of(results, latenessByLabel)) {
        Path file = folder.resolve(results.suite() + "-" + plot.name() + ".svg");
        files.add(Files.writeString(file, Svg.of(plot)));
      }
    } catch (RuntimeException | LinkageError | InternalError | AWTError e) {
      // A Java without fonts, or without the system libraries that read them: figures are enough.
      LOG.warn(
          "No plots ({}); a Java with fonts (fontconfig and a font) would draw them", e.toString());
    }
    return files;
  }

  static List<Plot> of(Results results, Map<String, Histogram> latenessByLabel) {
    List<Figures> subjects = results.subjects();
    return switch (results.suite()) {
      case "lateness" -> LatenessPlots.of(subjects, latenessByLabel);
      case "backlog" ->
          Stream.concat(BacklogPlots.of(subjects).stream(), RatePlots.of(subjects).stream())
              .toList();
      case "longrun" -> LongRunPlots.of(subjects);
      default ->
          Stream.concat(RatePlots.of(subjects).stream(), LatenessBars.of(subjects).stream())
              .toList();
    };
  }
}
