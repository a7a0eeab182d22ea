// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.report;

import java.awt.Graphics2D;
import java.awt.geom.Rectangle2D;
import java.util.List;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.NumberTick;
import org.jfree.chart.ui.RectangleEdge;
import org.jfree.chart.ui.TextAnchor;

/** Percentiles as HdrHistogram plots them: as much room for each further nine. */
final class PercentileAxis extends NumberAxis {
  private static final long serialVersionUID = 1L;
  private static final double[] LABELLED = {0, 50, 90, 99, 99.9, 99.99, 99.999};

  /** An axis for so many values: beyond one in that many there is nothing to see. */
  PercentileAxis(long values) {
    super("percentile");
    setRange(0, Math.max(1, Math.log10(values)));
  }

  /** Where a percentile below 100 stands. */
  static double position(double percentile) {
    return -Math.log10(1 - percentile / 100);
  }

  @Override
  @SuppressWarnings("rawtypes") // as it is in the library
  protected List refreshTicksHorizontal(Graphics2D g2, Rectangle2D area, RectangleEdge edge) {
    return java.util.Arrays.stream(LABELLED)
        .filter(percentile -> position(percentile) <= getRange().getUpperBound())
        .mapToObj(PercentileAxis::tick)
        .toList();
  }

  private static NumberTick tick(double percentile) {
    String label = (percentile == Math.rint(percentile) ? "" + (int) percentile : "" + percentile);
    return new NumberTick(
        position(percentile), label + " %", TextAnchor.TOP_CENTER, TextAnchor.CENTER, 0);
  }
}
