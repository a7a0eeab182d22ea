// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import org.jspecify.annotations.Nullable;

/**
 * A change of many rows, each found by its key and with values of its own. A row that somebody else
 * has locked is left alone.
 *
 * @param inOneStatement over a table of all values, for PostgreSQL. It gives a row for each: its
 *     {@code ordinal}, whether it {@code changed}, and else what is known of its row. The look-up
 *     that locks goes by the key; the state must not tempt the planner to read all that is pending.
 * @param ofLocked as a change of rows that are locked and known to fit
 */
record KeyedChange(String inOneStatement, RowChange ofLocked) {
  /**
   * Makes its texts, once. Parameters stand as {@code :name}; {@code route} and {@code id} are the
   * first two.
   *
   * @param ahead a setting of the transaction's, ahead of the one statement in the same round trip
   * @param set the columns' new values; null to delete the row. MySQL sees those before it in the
   *     list as they have become, so a column stands behind all that ask for it
   * @param condition which rows it is for
   * @param columns as of {@link RowChange}
   */
  static KeyedChange of(
      Sql sql, String ahead, @Nullable String set, String condition, String columns) {
    String key = " WHERE route = :route AND id = :id";
    RowChange ofLocked =
        sql.change(
            set == null
                ? "DELETE FROM {message}{using}" + key
                : "UPDATE {message} SET " + set + "{from}" + key,
            columns);
    String place =
        "SELECT v.*, place FROM v CROSS JOIN LATERAL (SELECT ctid AS place FROM {message}"
            + " WHERE route = v.p_route AND id = v.p_id"
            + condition
            + " FOR NO KEY UPDATE SKIP LOCKED) AS unlocked";
    String change =
        (set == null ? "DELETE FROM {message} USING (" : "UPDATE {message} SET " + set + " FROM (")
            + place
            + ") AS v WHERE {message}.ctid = v.place RETURNING v.p_ordinal, postponed, retries,"
            + " deliver_at";
    String text =
        "{plan-once}"
            + ahead
            + "WITH v AS MATERIALIZED (SELECT * FROM "
            + ofLocked.table()
            + "), changed AS ("
            + change
            + ") SELECT v.p_ordinal AS ordinal, changed.p_ordinal IS NOT NULL AS changed,"
            + " changed.postponed AS now_postponed, changed.retries AS now_retries,"
            + " changed.deliver_at AS now_deliver_at, seen.*"
            + " FROM v LEFT JOIN changed ON changed.p_ordinal = v.p_ordinal LEFT JOIN LATERAL"
            + " (SELECT "
            + LockedRow.COLUMNS
            + " FROM {message} WHERE changed.p_ordinal IS NULL AND route = v.p_route"
            + " AND id = v.p_id OFFSET 0) AS seen ON true";
    return new KeyedChange(RowChange.ofTable(sql.text(text)), ofLocked);
  }
}
