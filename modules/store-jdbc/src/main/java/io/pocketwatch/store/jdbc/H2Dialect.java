// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;

/** H2 2: for demos, tests and applications of one process. */
final class H2Dialect implements Dialect {
  private static final int LOCK_TIMEOUT = 50200;

  /** Deadlock, lock time-out, "row was changed by another transaction". */
  private static final Set<Integer> PASSING = Set.of(40001, LOCK_TIMEOUT, 90131);

  @Override
  public String folder() {
    return "h2";
  }

  @Override
  public String now() {
    return "DATEDIFF('MILLISECOND', TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00',"
        + " CURRENT_TIMESTAMP AT TIME ZONE 'UTC')"; // DATEDIFF does not look at zones
  }

  @Override
  public String skipLocked() {
    // With ORDER BY, H2 locks the whole range, and a second loader would get nothing.
    return "";
  }

  @Override
  public String keySkipLocked() {
    return " FOR UPDATE SKIP LOCKED";
  }

  @Override
  public boolean inTransaction(Connection connection) throws SQLException {
    return Jdbc.list(
            connection,
            "SELECT CONTAINS_UNCOMMITTED FROM INFORMATION_SCHEMA.SESSIONS"
                + " WHERE SESSION_ID = SESSION_ID()",
            row -> row.getBoolean(1))
        .contains(true);
  }

  @Override
  public boolean lockedOut(SQLException failure) {
    return failure.getErrorCode() == LOCK_TIMEOUT;
  }

  @Override
  public boolean passing(SQLException failure) {
    return PASSING.contains(failure.getErrorCode());
  }

  @Override
  public Bulk bulk(Sql sql) {
    return new H2Bulk(sql);
  }
}
