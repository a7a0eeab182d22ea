// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** The differences between the databases. */
interface Dialect {
  /** The name of its folder of DDL. */
  String folder();

  /**
   * Refuses settings of the database under which the store would start, but store nothing.
   *
   * @throws io.pocketwatch.store.StoreException if there is one; it names the setting
   */
  default void requireSettings(Connection connection) throws SQLException {}

  /** An SQL expression: the database's clock in epoch milliseconds. */
  String now();

  /** Behind a SELECT: locks its rows and leaves out locked ones; empty where that costs more. */
  String skipLocked();

  /** The same behind a look-up by key, on every database. */
  default String keySkipLocked() {
    return skipLocked();
  }

  /** An SQL expression that names a row, of a known route, while its transaction has it locked. */
  default String rowName() {
    return "id";
  }

  /**
   * The condition of a {@link RowChange} that its row is the locked one of {@code :route} and
   * {@code :id}, whose {@link #rowName} is {@code :row_name}.
   */
  default String isRow() {
    return "route = :route AND id = :id";
  }

  /** Behind a SELECT: reads what is committed now, whatever the caller's isolation. */
  default String currentRead() {
    return "";
  }

  /**
   * Goes ahead of a statement, in the same round trip, where the database would keep an earlier
   * plan. It has the statement planned for its values and the tables as they are now. It is empty
   * for a database that keeps no plan.
   */
  default String planAnew() {
    return "";
  }

  /**
   * The same, until the transaction ends: has statements planned once, to look rows up one by one.
   * Only for a transaction of ours, whose statements all do.
   */
  default String planOnce() {
    return "";
  }

  /**
   * Ahead of a statement, in the same round trip: the commit does not wait for the disk. Nothing is
   * torn if the database crashes, but what was committed in its last moments was not. Empty where a
   * transaction cannot choose.
   */
  default String commitUnsynced() {
    return "";
  }

  /** Undoes {@link #commitUnsynced} for the rest of the transaction. */
  default String commitSynced() {
    return "";
  }

  /**
   * Asks for a name of the oldest transaction or snapshot, but for our own. Empty where nothing can
   * be asked.
   */
  default String oldestSnapshot() {
    return "";
  }

  /**
   * Asks where the database's log is, as {@link LostCommits.Position} has it. No row comes in a
   * transaction that has changed nothing, or whose commit waits for nothing. Empty where nothing
   * can be asked.
   */
  default String logPosition() {
    return "";
  }

  /** Whether a recursive query may step from one place of an index to the next. */
  default boolean stepsInOneStatement() {
    return false;
  }

  /** Whether a comparison of rows, {@code (a, b) > (?, ?)}, finds its place in an index. */
  default boolean comparesRows() {
    return false;
  }

  /**
   * Whether a connection that came without auto-commit is in a transaction that has changed
   * something.
   */
  boolean inTransaction(Connection connection) throws SQLException;

  /** Makes the transaction that begins on this connection READ COMMITTED, if it is not anyway. */
  default void beginReadCommitted(Connection connection) throws SQLException {}

  /**
   * Limits how long statements of the transaction that begins on this connection wait for a lock.
   * Does nothing where the URL decides that, as in H2 (LOCK_TIMEOUT, two seconds by default).
   */
  default void limitLockWait(Connection connection, Duration most) throws SQLException {}

  /** After the transaction: undoes {@link #limitLockWait}. */
  default void restoreLockWait(Connection connection) throws SQLException {}

  /** Whether the failure is a lock that was waited for too long. */
  boolean lockedOut(SQLException failure);

  /** Whether the failure is transient, so that the same transaction may succeed when run again. */
  boolean passing(SQLException failure);

  /** The statements over many rows of this database. */
  Bulk bulk(Sql sql);
}
