// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Milliseconds between due and arrival, to a tenth; null where nothing has arrived. */
record Lateness(@Nullable Double p50, @Nullable Double p99, @Nullable Double max) {

  static Lateness of(Histogram micros) {
    if (micros.getTotalCount() == 0) {
      return new Lateness(null, null, null);
    }
    return new Lateness(
        millis(micros.getValueAtPercentile(50)),
        millis(micros.getValueAtPercentile(99)),
        millis(micros.getMaxValue()));
  }

  private static double millis(long micros) {
    return Math.round(micros / 100.0) / 10.0;
  }
}
