// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.report;

import java.text.NumberFormat;
import java.util.Locale;
import org.jfree.chart.ChartFactory;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.AxisLocation;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.labels.ItemLabelAnchor;
import org.jfree.chart.labels.ItemLabelPosition;
import org.jfree.chart.labels.StandardCategoryItemLabelGenerator;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.plot.PlotOrientation;
import org.jfree.chart.renderer.category.BarRenderer;
import org.jfree.chart.renderer.category.StandardBarPainter;
import org.jfree.chart.ui.TextAnchor;
import org.jfree.data.category.DefaultCategoryDataset;
import org.jfree.data.general.DatasetUtils;

/** Horizontal bars, a group per subject, each with its figure beside it. */
final class Bars {
  private static final int FRAME_PIXELS = 110;
  private static final int BAR_PIXELS = 18;
  private static final int GAP_PIXELS = 14;

  private final DefaultCategoryDataset data = new DefaultCategoryDataset();

  void add(String series, String group, Number value) {
    data.addValue(value, series, group);
  }

  boolean isEmpty() {
    return data.getRowCount() == 0;
  }

  Plot plot(String name, String title, String unit) {
    return plot(name, title, new NumberAxis(unit), 0);
  }

  /** For figures that differ by more than bars from zero can show. */
  Plot logPlot(String name, String title, String unit, double from) {
    return plot(name, title, new DecadeAxis(unit, from, DatasetUtils.findRangeBounds(data)), from);
  }

  private Plot plot(String name, String title, ValueAxis axis, double from) {
    JFreeChart chart =
        ChartFactory.createBarChart(
            title, null, null, data, PlotOrientation.HORIZONTAL, true, false, false);
    CategoryPlot plot = chart.getCategoryPlot();
    plot.setRangeAxis(axis);
    plot.setRangeAxisLocation(AxisLocation.BOTTOM_OR_LEFT);
    ChartStyle.frame(chart);
    ChartStyle.numbers(axis);
    axis.setUpperMargin(0.12); // room for the figure beside the longest bar
    plot.getDomainAxis().setTickLabelFont(ChartStyle.TEXT);
    plot.getDomainAxis().setMaximumCategoryLabelWidthRatio(0.4f);
    plot.getDomainAxis().setCategoryMargin(0.25);
    plot.setRangeGridlinePaint(ChartStyle.GRID);
    plot.setRangeGridlineStroke(ChartStyle.THIN);
    plot.setRangeMinorGridlinePaint(ChartStyle.MINOR_GRID);
    plot.setRangeMinorGridlineStroke(ChartStyle.THIN);
    plot.setRangeMinorGridlinesVisible(from > 0);
    plot.setOutlineVisible(false);
    plot.setRenderer(renderer(from));
    int bars = data.getRowCount() * data.getColumnCount();
    return new Plot(
        name,
        chart,
        ChartStyle.WIDTH,
        FRAME_PIXELS + bars * BAR_PIXELS + data.getColumnCount() * GAP_PIXELS);
  }

  private BarRenderer renderer(double from) {
    BarRenderer bars = new BarRenderer();
    bars.setBarPainter(new StandardBarPainter());
    bars.setShadowVisible(false);
    bars.setDrawBarOutline(false);
    bars.setItemMargin(0.06);
    bars.setMaximumBarWidth(0.2);
    bars.setBase(from);
    bars.setIncludeBaseInRange(from == 0);
    NumberFormat figures = NumberFormat.getInstance(Locale.ROOT);
    figures.setMaximumFractionDigits(from > 0 ? 1 : 0);
    bars.setDefaultPositiveItemLabelPosition(
        new ItemLabelPosition(ItemLabelAnchor.OUTSIDE3, TextAnchor.CENTER_LEFT));
    bars.setDefaultItemLabelGenerator(new StandardCategoryItemLabelGenerator("{2}", figures));
    bars.setDefaultItemLabelsVisible(true);
    bars.setDefaultItemLabelFont(ChartStyle.SMALL);
    bars.setDefaultItemLabelPaint(ChartStyle.INK);
    for (int series = 0; series < data.getRowCount(); series++) {
      bars.setSeriesPaint(series, ChartStyle.colour(series));
    }
    return bars;
  }
}
