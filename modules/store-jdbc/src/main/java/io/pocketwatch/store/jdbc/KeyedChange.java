// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.jdbc.RowChange.Column;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A change of many rows, each found by its key and with values of its own. A row that somebody else
 * has locked is left alone. Parameters stand as {@code :name}; {@code route} and {@code id} are the
 * first two.
 *
 * @param set the columns' new values; null to delete the row. MySQL sees those before it in the
 *     list as they have become, so a column stands behind all that ask for it
 * @param condition which rows it is for
 */
record KeyedChange(@Nullable String set, String condition, List<Column> columns) {
  private static final Pattern PARAMETER = Pattern.compile("(?<!:):([a-z_]+)");

  /** As a change of rows that are locked and known to fit. */
  RowChange ofLocked(Sql sql) {
    String key = " WHERE route = :route AND id = :id";
    String text =
        set == null
            ? "DELETE FROM {message}{using}" + key
            : "UPDATE {message} SET " + set + "{from}" + key;
    return new RowChange(sql.text(text), columns);
  }

  /**
   * As one statement over a table of all values, for PostgreSQL. It gives a row for each: its
   * {@code ordinal}, whether it {@code changed}, and else what is known of its row. The look-up
   * that locks goes by the key; the state must not tempt the planner to read all that is pending.
   */
  String inOneStatement(Sql sql) {
    String names =
        columns.stream().map(each -> "p_" + each.name()).collect(Collectors.joining(", "));
    String arrays =
        columns.stream().map(each -> "?::" + each.type() + "[]").collect(Collectors.joining(", "));
    String place =
        "SELECT v.*, place FROM v CROSS JOIN LATERAL (SELECT ctid AS place FROM {message}"
            + " WHERE route = v.p_route AND id = v.p_id"
            + condition
            + " FOR NO KEY UPDATE SKIP LOCKED) AS unlocked";
    String change =
        (set == null ? "DELETE FROM {message} USING (" : "UPDATE {message} SET " + set + " FROM (")
            + place
            + ") AS v WHERE {message}.ctid = v.place RETURNING v.p_ordinal, postponed, retries, deliver_at";
    String text =
        "WITH v AS MATERIALIZED (SELECT * FROM unnest("
            + arrays
            + ") WITH ORDINALITY AS v("
            + names
            + ", p_ordinal)), changed AS ("
            + change
            + ") SELECT v.p_ordinal AS ordinal, changed.p_ordinal IS NOT NULL AS changed,"
            + " changed.postponed AS now_postponed, changed.retries AS now_retries,"
            + " changed.deliver_at AS now_deliver_at, seen.*"
            + " FROM v LEFT JOIN changed ON changed.p_ordinal = v.p_ordinal LEFT JOIN LATERAL"
            + " (SELECT "
            + LockedRow.COLUMNS
            + " FROM {message} WHERE changed.p_ordinal IS NULL AND route = v.p_route"
            + " AND id = v.p_id OFFSET 0) AS seen ON true";
    return PARAMETER.matcher(sql.text(text)).replaceAll("v.p_$1");
  }
}
