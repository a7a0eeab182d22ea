// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.report;

import org.jfree.chart.ChartFactory;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.chart.ui.RectangleEdge;
import org.jfree.data.general.DatasetUtils;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;

/** One curve per subject. */
final class Curves {
  private static final int HEIGHT = 460;

  /** Up to so many points each is marked. */
  private static final int MOST_MARKED_POINTS = 40;

  private final XYSeriesCollection data = new XYSeriesCollection();

  void add(XYSeries curve) {
    data.addSeries(curve);
  }

  boolean isEmpty() {
    return data.getSeriesCount() == 0;
  }

  Plot plot(String name, String title, ValueAxis horizontal, ValueAxis vertical) {
    JFreeChart chart = ChartFactory.createXYLineChart(title, null, null, data);
    XYPlot plot = chart.getXYPlot();
    plot.setDomainAxis(horizontal);
    plot.setRangeAxis(vertical);
    ChartStyle.frame(chart);
    chart.getLegend().setPosition(RectangleEdge.RIGHT);
    ChartStyle.numbers(horizontal);
    ChartStyle.numbers(vertical);
    plot.setDomainGridlinePaint(ChartStyle.GRID);
    plot.setDomainGridlineStroke(ChartStyle.THIN);
    plot.setRangeGridlinePaint(ChartStyle.GRID);
    plot.setRangeGridlineStroke(ChartStyle.THIN);
    plot.setRangeMinorGridlinePaint(ChartStyle.MINOR_GRID);
    plot.setRangeMinorGridlineStroke(ChartStyle.THIN);
    plot.setRangeMinorGridlinesVisible(vertical instanceof DecadeAxis);
    plot.setOutlineVisible(false);
    plot.setRenderer(renderer());
    return new Plot(name, chart, ChartStyle.WIDTH, HEIGHT);
  }

  /** A plot whose curves may be worlds apart. */
  Plot logPlot(String name, String title, ValueAxis horizontal, String unit, double from) {
    ValueAxis vertical = new DecadeAxis(unit, from, DatasetUtils.findRangeBounds(data, false));
    return plot(name, title, horizontal, vertical);
  }

  /** An axis of plain numbers that starts at zero. */
  static NumberAxis fromZero(String unit) {
    NumberAxis axis = new NumberAxis(unit);
    axis.setAutoRangeIncludesZero(true);
    return axis;
  }

  private XYLineAndShapeRenderer renderer() {
    XYLineAndShapeRenderer lines = new XYLineAndShapeRenderer();
    for (int series = 0; series < data.getSeriesCount(); series++) {
      lines.setSeriesPaint(series, ChartStyle.colour(series));
      lines.setSeriesStroke(series, ChartStyle.line(series));
      lines.setSeriesShapesVisible(series, data.getItemCount(series) <= MOST_MARKED_POINTS);
    }
    return lines;
  }
}
