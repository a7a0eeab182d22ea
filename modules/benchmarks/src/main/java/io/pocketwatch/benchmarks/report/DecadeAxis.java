// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.report;

import java.awt.Graphics2D;
import java.awt.geom.Rectangle2D;
import java.text.NumberFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jfree.chart.axis.LogAxis;
import org.jfree.chart.axis.NumberTick;
import org.jfree.chart.axis.TickType;
import org.jfree.chart.ui.RectangleEdge;
import org.jfree.chart.ui.TextAnchor;
import org.jfree.data.Range;

/**
 * A logarithmic axis over whole decades, labelled 1, 10, 100. The library's own labels are drawn
 * glyph by glyph, and are no text in an SVG.
 */
final class DecadeAxis extends LogAxis {
  private static final long serialVersionUID = 1L;

  /** What a bar's figure needs beyond its end. */
  private static final double ROOM = 1.3;

  private final int first;
  private final int last;

  /** An axis that begins at a power of ten and holds all values. */
  DecadeAxis(String unit, double smallest, Range values) {
    super(unit);
    first = (int) Math.round(Math.log10(smallest));
    last = Math.max(1, (int) Math.ceil(Math.log10(values.getUpperBound() * ROOM)));
    setSmallestValue(smallest);
    setRange(smallest, Math.pow(10, last));
  }

  @Override
  @SuppressWarnings("rawtypes") // as it is in the library
  protected List refreshTicksHorizontal(Graphics2D g2, Rectangle2D area, RectangleEdge edge) {
    return ticks(TextAnchor.TOP_CENTER);
  }

  @Override
  @SuppressWarnings("rawtypes")
  protected List refreshTicksVertical(Graphics2D g2, Rectangle2D area, RectangleEdge edge) {
    return ticks(TextAnchor.CENTER_RIGHT);
  }

  private List<NumberTick> ticks(TextAnchor anchor) {
    NumberFormat format = NumberFormat.getInstance(Locale.ROOT);
    List<NumberTick> ticks = new ArrayList<>();
    for (int decade = first; decade <= last; decade++) {
      double value = Math.pow(10, decade);
      ticks.add(tick(TickType.MAJOR, value, format.format(value), anchor));
      for (int times = 2; times < 10 && decade < last; times++) {
        ticks.add(tick(TickType.MINOR, times * value, "", anchor));
      }
    }
    return ticks;
  }

  private static NumberTick tick(TickType type, double value, String label, TextAnchor anchor) {
    return new NumberTick(type, value, label, anchor, TextAnchor.CENTER, 0);
  }
}
