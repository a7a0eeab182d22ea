// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.Claim;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SettlingStore.Attempts;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Statements over many rows, in the form the database is fastest with. */
interface Bulk {
  /** How often a statement is planned, where the database keeps plans. */
  enum Planned {
    /** Each time, for its values and the tables as they are. */
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
   * Makes the text of a claim, once.
   *
   * @param condition and order of the candidates
   */
  String claimStatement(String condition);

  /**
   * Claims rows that nobody else has locked.
   *
   * @param statement as {@link #claimStatement} made it
   * @param maxRows at most so many
   * @param maxBytes none after those whose bodies and properties exceed it
   * @param parameters of the condition
   * @return the claimed rows, in any order
   */
  List<Claim> claim(
      Connection connection,
      String statement,
      int maxRows,
      long maxBytes,
      String holder,
      long leaseMillis,
      List<Object> parameters)
      throws SQLException;

  /**
   * The result for one set of values.
   *
   * @param changed whether its row was changed
   * @param attempts that a changed row counts now, where {@code row} is null
   * @param deliverAt of a changed row, where {@code row} is null
   * @param row as it was before; null if there is none, or if it was changed in one statement
   */
  record Changed(boolean changed, Attempts attempts, long deliverAt, @Nullable LockedRow row) {
    static final Changed NONE = new Changed(false, Attempts.NONE, 0, null);

    /** When its message is due. */
    long due() {
      return row == null ? deliverAt : row.deliverAt();
    }
  }

  /** Whether a row is to be changed, for databases that need two statements for it. */
  interface Fits {
    boolean test(LockedRow row, int index);
  }

  /**
   * Runs a change for each set of values; none may be of the same row. Rows that somebody else has
   * locked are left alone.
   *
   * @return per set, what became of it
   */
  default List<Changed> change(
      Connection connection, KeyedChange change, List<@Nullable Object[]> values, Fits fits)
      throws SQLException {
    List<Integer> possible = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      if (RowLimits.possible(key(values.get(i)))) {
        possible.add(i);
      }
    }
    List<Changed> all = new ArrayList<>(Collections.nCopies(values.size(), Changed.NONE));
    if (!possible.isEmpty()) {
      List<@Nullable Object[]> some = new ArrayList<>();
      possible.forEach(i -> some.add(values.get(i)));
      List<Changed> found =
          changePossible(connection, change, some, (row, i) -> fits.test(row, possible.get(i)));
      for (int i = 0; i < found.size(); i++) {
        all.set(possible.get(i), found.get(i));
      }
    }
    return all;
  }

  /** As {@link #change}, for keys that a row can have. */
  List<Changed> changePossible(
      Connection connection, KeyedChange change, List<@Nullable Object[]> values, Fits fits)
      throws SQLException;

  /** Of each, what a change takes of it. */
  static <T> List<@Nullable Object[]> values(
      Collection<T> each, Function<T, @Nullable Object[]> values) {
    List<@Nullable Object[]> all = new ArrayList<>();
    each.forEach(one -> all.add(values.apply(one)));
    return all;
  }

  /** The first two values. */
  static MessageKey key(@Nullable Object[] values) {
    return new MessageKey(String.valueOf(values[0]), String.valueOf(values[1]));
  }

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
