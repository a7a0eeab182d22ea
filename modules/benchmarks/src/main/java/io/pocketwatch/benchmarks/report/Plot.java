// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.report;

import org.jfree.chart.JFreeChart;

/** A chart, what its file is called after the suite, and its size in pixels. */
record Plot(String name, JFreeChart chart, int width, int height) {}
