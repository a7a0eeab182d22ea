// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.screen;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Text in columns: the first to the left, the others to the right if they are numbers. A row is one
 * line, whatever is in its cells.
 */
public final class TextTable {
  private static final String GAP = "  ";

  private final boolean words;
  private final List<String[]> rows = new ArrayList<>();

  /** A table whose columns but the first hold numbers. */
  public TextTable(String... headings) {
    this(false, headings);
  }

  private TextTable(boolean words, String... headings) {
    this.words = words;
    rows.add(headings);
  }

  /** A table whose columns all hold words. */
  public static TextTable ofWords(String... headings) {
    return new TextTable(true, headings);
  }

  /** Adds a row; it has as many cells as there are headings. */
  public void row(String... cells) {
    if (cells.length != rows.get(0).length) {
      throw new IllegalArgumentException(
          cells.length
              + " cells for "
              + rows.get(0).length
              + " columns: "
              + Arrays.toString(cells));
    }
    rows.add(Stream.of(cells).map(Visible::word).toArray(String[]::new));
  }

  /** The lines, headings first, without blanks at their ends. */
  public List<String> lines() {
    int[] widths = new int[rows.get(0).length];
    for (String[] row : rows) {
      for (int column = 0; column < row.length; column++) {
        widths[column] = Math.max(widths[column], row[column].length());
      }
    }
    return rows.stream().map(row -> line(row, widths)).toList();
  }

  private String line(String[] row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int column = 0; column < row.length; column++) {
      String padding = " ".repeat(widths[column] - row[column].length());
      boolean left = words || column == 0;
      line.append(column == 0 ? "" : GAP)
          .append(left ? row[column] + padding : padding + row[column]);
    }
    return line.toString().stripTrailing();
  }
}
