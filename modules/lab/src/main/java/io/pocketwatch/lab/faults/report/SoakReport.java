// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.report;

import io.pocketwatch.lab.faults.level.Trend;
import io.pocketwatch.lab.faults.level.Trend.Finding;
import io.pocketwatch.screen.Json;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What came of a soak.
 *
 * @param messages of every leg
 * @param rate messages per second
 * @param samples how many were taken
 * @param trends of everything that could grow
 * @param startsAnew whether a fault was asked for that ends what is measured
 */
public record SoakReport(
    FaultsReport messages, int rate, int samples, List<Trend> trends, boolean startsAnew)
    implements RunReport {

  /** Whether every message was kept as the table says, and nothing grows. */
  @Override
  public boolean sound() {
    return broken().isEmpty();
  }

  private List<String> broken() {
    return Stream.concat(
            messages.broken().stream(),
            trends.stream().filter(trend -> !mayBe(trend.finding())).map(Trend::toString))
        .toList();
  }

  private boolean mayBe(Finding finding) {
    return finding == Finding.LEVEL
        || finding == Finding.RUN_TOO_SHORT
        || (startsAnew && finding == Finding.STARTED_ANEW);
  }

  @Override
  public String json() {
    Map<String, Object> object = new LinkedHashMap<>(messages.values());
    object.put("rate", rate);
    object.put("samples", samples);
    object.put("level", trends.stream().allMatch(trend -> mayBe(trend.finding())));
    Map<String, Object> measured = new LinkedHashMap<>();
    trends.forEach(trend -> measured.put(trend.gauge().word(), values(trend)));
    object.put("measured", measured);
    object.put("broken", broken());
    return Json.line(object);
  }

  private static Map<String, Object> values(Trend trend) {
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("first", trend.medians().get(0));
    values.put("second", trend.medians().get(1));
    values.put("last", trend.medians().get(2));
    values.put("mayRiseBy", trend.slack());
    values.put("unseenPerHour", Math.round(trend.unseenPerHour()));
    values.put("finding", trend.finding().words());
    return values;
  }

  /** Messages by fault, and what was measured. */
  @Override
  public List<String> table() {
    List<String> lines = new ArrayList<>(messages.table());
    TextTable table =
        new TextTable(
            "median of",
            "first third",
            "second",
            "last",
            "may rise by",
            "unseen, per hour",
            "finding");
    for (Trend trend : trends) {
      table.row(
          trend.gauge().words(),
          trend.gauge().show(trend.medians().get(0)),
          trend.gauge().show(trend.medians().get(1)),
          trend.gauge().show(trend.medians().get(2)),
          trend.gauge().show(trend.slack()),
          trend.gauge().show(trend.unseenPerHour()),
          trend.finding().words());
    }
    lines.add("");
    lines.addAll(table.lines());
    return lines;
  }

  @Override
  public String verdict() {
    List<String> broken = broken();
    return broken.isEmpty()
        ? "All messages were kept as the guarantee table says, and nothing grew: %s."
            .formatted(Numbers.of(samples, "sample"))
        : "NOT sound: " + String.join("; ", broken);
  }
}
