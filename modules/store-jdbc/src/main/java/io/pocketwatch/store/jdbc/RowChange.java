// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A change of one row, to be run for many. Parameters stand as {@code :name}; {@code {from}} and
 * {@code {using}} mark where a database that can takes all of them as a table.
 */
record RowChange(String sql, List<Column> columns) {
  /** A parameter and the type of its column. */
  record Column(String name, String type) {}

  private static final Pattern PARAMETER = Pattern.compile(":([a-z_]+)");

  /** Columns as {@code "name type, name type"}, in the order of the values. */
  RowChange(String sql, String columns) {
    this(sql, columns(columns));
  }

  static List<Column> columns(String columns) {
    return Stream.of(columns.split(", ")).map(RowChange::column).toList();
  }

  private static Column column(String text) {
    int space = text.indexOf(' ');
    return new Column(text.substring(0, space), text.substring(space + 1));
  }

  /** With question marks, for a batch. */
  String positional() {
    return PARAMETER.matcher(plain()).replaceAll("?");
  }

  /** Which value goes to which question mark. */
  List<Integer> positions() {
    List<String> names = columns.stream().map(Column::name).toList();
    List<Integer> positions = new ArrayList<>();
    Matcher matcher = PARAMETER.matcher(plain());
    while (matcher.find()) {
      positions.add(names.indexOf(matcher.group(1)));
    }
    return positions;
  }

  private String plain() {
    return sql.replace("{from}", "").replace("{using}", "");
  }

  /** Over a table of all values, one array per column; says which rows changed. */
  String arrays() {
    StringBuilder table = new StringBuilder(" unnest(");
    StringBuilder names = new StringBuilder();
    for (Column column : columns) {
      table.append(names.isEmpty() ? "" : ", ").append("?::").append(column.type).append("[]");
      names.append(names.isEmpty() ? "" : ", ").append("p_").append(column.name);
    }
    table.append(") WITH ORDINALITY AS v(").append(names).append(", p_ordinal)");
    String joined = sql.replace("{from}", " FROM" + table).replace("{using}", " USING" + table);
    // Not the casts: "::text".
    return Pattern.compile("(?<!:):([a-z_]+)").matcher(joined).replaceAll("v.p_$1")
        + " RETURNING v.p_ordinal";
  }
}
