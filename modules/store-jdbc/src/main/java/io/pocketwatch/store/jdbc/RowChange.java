// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A change of one row, to be run for many. Parameters stand as {@code :name}; {@code {from}} and
 * {@code {using}} mark where a database that can takes all of them as a table. Its texts are made
 * once.
 */
final class RowChange {
  /** Not the casts: "::text". */
  private static final Pattern PARAMETER = Pattern.compile("(?<!:):([a-z_]+)");

  private final List<String> names = new ArrayList<>();
  private final List<String> types = new ArrayList<>();
  private final String positional;
  private final List<Integer> positions;
  private final String arrays;

  /** Columns as {@code "name type, name type"}, in the order of the values. */
  RowChange(String sql, String columns) {
    for (String column : columns.split(", ")) {
      int space = column.indexOf(' ');
      names.add(column.substring(0, space));
      types.add(column.substring(space + 1));
    }
    Matcher parameters = PARAMETER.matcher(sql.replace("{from}", "").replace("{using}", ""));
    this.positions = parameters.results().map(found -> names.indexOf(found.group(1))).toList();
    this.positional = parameters.replaceAll("?");
    this.arrays =
        ofTable(sql.replace("{from}", " FROM " + table()).replace("{using}", " USING " + table()))
            + " RETURNING v.p_ordinal";
  }

  /** The types of the columns. */
  List<String> types() {
    return types;
  }

  /** With question marks, for a batch. */
  String positional() {
    return positional;
  }

  /** Which value goes to which question mark. */
  List<Integer> positions() {
    return positions;
  }

  /** Over a table of all values, one array per column; says which rows changed. */
  String arrays() {
    return arrays;
  }

  /** The values, a row for each set of them. */
  String table() {
    return types.stream()
            .map(type -> "?::" + type + "[]")
            .collect(Collectors.joining(", ", "unnest(", ")"))
        + names.stream()
            .collect(Collectors.joining(", p_", " WITH ORDINALITY AS v(p_", ", p_ordinal)"));
  }

  /** With the columns of that table in place of the parameters. */
  static String ofTable(String text) {
    return PARAMETER.matcher(text).replaceAll("v.p_$1");
  }
}
