// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.report;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.text.NumberFormat;
import java.util.List;
import java.util.Locale;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.block.BlockBorder;
import org.jfree.chart.ui.RectangleInsets;

/** How every plot looks: on white, so that it reads on a dark page too. */
final class ChartStyle {
  static final int WIDTH = 900;
  static final Color INK = new Color(0x24292F);
  static final Color GRID = new Color(0xD0D5DB);
  static final Color MINOR_GRID = new Color(0xF0F2F4);
  static final Font TEXT = new Font(Font.SANS_SERIF, Font.PLAIN, 13);
  static final Font SMALL = new Font(Font.SANS_SERIF, Font.PLAIN, 11);
  static final BasicStroke THIN = new BasicStroke(1);

  private static final Font TITLE = new Font(Font.SANS_SERIF, Font.BOLD, 16);

  /** Okabe and Ito's, told apart by colour-blind readers; their yellow is too pale on white. */
  private static final List<Color> COLOURS =
      List.of(
          new Color(0x0072B2),
          new Color(0xD55E00),
          new Color(0x009E73),
          new Color(0xCC79A7),
          new Color(0xE69F00),
          new Color(0x56B4E9),
          new Color(0x5F6368));

  private static final List<float[]> DASHES =
      List.of(new float[] {1, 0}, new float[] {8, 4}, new float[] {2, 3});

  private ChartStyle() {}

  static Color colour(int series) {
    return COLOURS.get(series % COLOURS.size());
  }

  /** Another pattern once the colours begin anew. */
  static BasicStroke line(int series) {
    float[] dash = DASHES.get(series / COLOURS.size() % DASHES.size());
    return dash[1] == 0
        ? new BasicStroke(2.2f, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND)
        : new BasicStroke(2.2f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1, dash, 0);
  }

  static void frame(JFreeChart chart) {
    chart.setBackgroundPaint(Color.WHITE);
    chart.getPlot().setBackgroundPaint(Color.WHITE);
    chart.setPadding(new RectangleInsets(10, 10, 10, 16));
    chart.getTitle().setFont(TITLE);
    chart.getTitle().setPaint(INK);
    chart.getTitle().setMargin(0, 0, 10, 0);
    chart.getLegend().setItemFont(TEXT);
    chart.getLegend().setItemPaint(INK);
    chart.getLegend().setFrame(BlockBorder.NONE);
  }

  static void numbers(ValueAxis axis) {
    axis.setLabelFont(TEXT);
    axis.setLabelPaint(INK);
    axis.setTickLabelFont(TEXT);
    axis.setTickLabelPaint(INK);
    axis.setAxisLineVisible(false);
    if (axis instanceof NumberAxis linear) {
      linear.setNumberFormatOverride(NumberFormat.getInstance(Locale.ROOT));
    }
  }
}
