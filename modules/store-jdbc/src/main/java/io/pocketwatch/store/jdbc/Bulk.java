// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.Claim;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Statements over many rows, in the form the database is fastest with. */
interface Bulk {
  /** When a statement is planned, where the database keeps plans. */
  enum Planned {
    /** For its values and the tables as they are. */
    ANEW,

    /** Once: {@link Dialect#planOnce}. */
    ONCE
  }

  /**
   * Inserts the rows that are absent; never aborts the transaction because one is present.
   *
   * @param rows no key twice
   * @param owner who leases them, or null
   * @return the keys that were inserted
   */
  Set<MessageKey> insertAbsent(
      Connection connection, List<ScheduledMessage> rows, @Nullable String owner, long leaseMillis)
      throws SQLException;

  /**
   * Claims those candidates of a route that are still to be had.
   *
   * @return the claimed rows, in any order
   */
  List<Claim> claim(
      Connection connection, String route, List<String> rowNames, String owner, long leaseMillis)
      throws SQLException;

  /**
   * Reads rows by key.
   *
   * @param select ends before its WHERE
   * @param suffix stands behind the key: more conditions, a lock
   * @param planned {@code ONCE} counts for all further statements of the transaction
   * @return what was found, in any order
   */
  <T> List<T> select(
      Connection connection,
      Planned planned,
      String select,
      String suffix,
      List<MessageKey> keys,
      Jdbc.RowMapper<T> mapper)
      throws SQLException;

  /**
   * Runs one statement for all rows of these keys.
   *
   * @param statement ends before its WHERE
   */
  void update(Connection connection, String statement, List<MessageKey> keys) throws SQLException;

  /**
   * Runs one conditional change for each set of values; none may be of the same row.
   *
   * @param planned {@code ONCE} only after a {@link #select} that was
   * @return per set, whether a row changed
   */
  boolean[] change(
      Connection connection, Planned planned, RowChange change, List<@Nullable Object[]> values)
      throws SQLException;
}
