// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** Where the databases differ. */
interface Dialect {
  /** The name of its folder of DDL. */
  String folder();

  /** An SQL expression: the database's clock in epoch milliseconds. */
  String now();

  /** Behind a SELECT: locks its rows and leaves out locked ones; empty where that costs more. */
  String skipLocked();

  /** The same behind a look-up by key, on every database. */
  default String keySkipLocked() {
    return skipLocked();
  }

  /** An SQL expression that names a row to {@link Bulk#claim} while its transaction lasts. */
  String rowName();

  /** Behind a SELECT: reads what is committed now, whatever the caller's isolation. */
  String currentRead();

  /**
   * Ahead of a statement, in the same round trip: has it planned for its values and for the tables
   * as they are now, where the database would keep an earlier plan. Empty where none does.
   */
  String planAnew();

  /** Whether a comparison of rows, {@code (a, b) > (?, ?)}, finds its place in an index. */
  boolean comparesRows();

  /** Makes the transaction that begins on this connection READ COMMITTED. */
  void beginReadCommitted(Connection connection) throws SQLException;

  /**
   * Bounds how long statements of the transaction that begins on this connection wait for a lock.
   * Does nothing where a database bounds it by itself.
   */
  void limitLockWait(Connection connection, Duration most) throws SQLException;

  /** After the transaction: undoes {@link #limitLockWait}. */
  void restoreLockWait(Connection connection) throws SQLException;

  /** Whether it waited too long for a lock. */
  boolean lockedOut(SQLException failure);

  /** Whether the same transaction may well succeed when run again. */
  boolean passing(SQLException failure);

  /** How many rows change or go in with one round trip. */
  Bulk bulk(Sql sql);
}
