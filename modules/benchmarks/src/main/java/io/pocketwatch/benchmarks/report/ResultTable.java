// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.report;

import io.pocketwatch.screen.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Results as people read them. */
public final class ResultTable {
  private final Results results;
  private final List<TableColumn> columns;

  private ResultTable(Results results) {
    this.results = results;
    this.columns =
        Stream.of(TableColumn.values()).filter(column -> column.isIn(results.subjects())).toList();
  }

  public static ResultTable of(Results results) {
    return new ResultTable(results);
  }

  /** For a terminal: the table, and below it what does not fit into columns. */
  public List<String> lines() {
    TextTable table = new TextTable(headings().toArray(String[]::new));
    rows().forEach(row -> table.row(row.toArray(String[]::new)));
    List<String> lines = new ArrayList<>(table.lines());
    below(lines, "Ratios (medians over the rounds):", ratios());
    below(lines, "Durability:", durabilities());
    below(lines, "Remarks:", remarks());
    below(lines, "Left out:", absent());
    return lines;
  }

  /** For a README: a Markdown table with the durability as its last column, and lists below. */
  public String markdown() {
    List<String> lines = new ArrayList<>();
    lines.add(markdownRow(headings(), "durability"));
    lines.add("|:---|" + "---:|".repeat(columns.size()) + ":---|");
    List<List<String>> rows = rows();
    for (int i = 0; i < rows.size(); i++) {
      lines.add(markdownRow(rows.get(i), results.subjects().get(i).durability()));
    }
    markdownList(lines, "Ratios (medians over the rounds):", ratios());
    markdownList(lines, "Remarks:", remarks());
    markdownList(lines, "Left out:", absent());
    return String.join("\n", lines) + "\n";
  }

  private List<String> headings() {
    return Stream.concat(Stream.of("subject"), columns.stream().map(TableColumn::heading)).toList();
  }

  private List<List<String>> rows() {
    return results.subjects().stream().map(this::row).toList();
  }

  private List<String> row(Figures figures) {
    return Stream.concat(
            Stream.of(Labels.of(figures)), columns.stream().map(column -> column.cell(figures)))
        .toList();
  }

  private List<String> ratios() {
    return results.ratios().entrySet().stream()
        .map(ratio -> String.format(Locale.ROOT, "%.2f  %s", ratio.getValue(), ratio.getKey()))
        .toList();
  }

  private List<String> durabilities() {
    Map<String, String> byText =
        results.subjects().stream()
            .collect(
                Collectors.groupingBy(
                    Figures::durability,
                    LinkedHashMap::new,
                    Collectors.collectingAndThen(
                        Collectors.toList(),
                        all ->
                            all.stream()
                                .map(Figures::name)
                                .distinct()
                                .collect(Collectors.joining(", ")))));
    return byText.entrySet().stream()
        .map(entry -> entry.getValue() + ": " + entry.getKey())
        .toList();
  }

  private List<String> remarks() {
    return results.subjects().stream()
        .filter(figures -> figures.remark() != null)
        .map(figures -> Labels.of(figures) + ": " + figures.remark())
        .toList();
  }

  private List<String> absent() {
    return results.absent().entrySet().stream()
        .map(entry -> entry.getKey() + ": " + entry.getValue())
        .toList();
  }

  private static void below(List<String> lines, String heading, List<String> items) {
    if (!items.isEmpty()) {
      lines.add("");
      lines.add(heading);
      items.forEach(item -> lines.add("  " + item));
    }
  }

  private static String markdownRow(List<String> cells, String last) {
    return Stream.concat(cells.stream(), Stream.of(last))
        .map(cell -> cell.replace("|", "\\|"))
        .collect(Collectors.joining(" | ", "| ", " |"));
  }

  private static void markdownList(List<String> lines, String heading, List<String> items) {
    if (!items.isEmpty()) {
      lines.add("");
      lines.add(heading);
      lines.add("");
      items.forEach(item -> lines.add("- " + item));
    }
  }
}
