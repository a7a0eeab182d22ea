// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.report;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/** Histograms of microseconds in the log format that HdrHistogram's own tools read. */
final class LatenessLog {
  /** The maximum that stands readable in each line is in milliseconds. */
  private static final double MICROS_PER_MILLI = 1_000;

  private LatenessLog() {}

  static void write(Path file, Map<String, Histogram> latenessByLabel) throws IOException {
    try (OutputStream out = Files.newOutputStream(file)) {
      HistogramLogWriter log = new HistogramLogWriter(out);
      log.outputComment("[Lateness in microseconds; the readable maximum is in milliseconds]");
      log.outputLogFormatVersion();
      log.outputLegend();
      new TreeMap<>(latenessByLabel)
          .forEach(
              (label, histogram) -> {
                Histogram tagged = histogram.copy();
                tagged.setTag(tag(label));
                log.outputIntervalHistogram(0, 0, tagged, MICROS_PER_MILLI);
              });
    }
  }

  /** The format allows neither blanks nor commas in a tag. */
  static String tag(String label) {
    return label.replaceAll("[\\s,]+", "_");
  }
}
