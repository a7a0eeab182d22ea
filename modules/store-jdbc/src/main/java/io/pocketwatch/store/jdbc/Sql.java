// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/** Makes statements of templates: names of tables, the clock, the dialect's clauses. */
record Sql(Tables tables, Dialect dialect) {
  String text(String template) {
    return tables
        .in(template)
        .replace("{now}", dialect.now())
        .replace("{row}", dialect.rowName())
        .replace("{skip-locked}", dialect.skipLocked())
        .replace("{key-skip-locked}", dialect.keySkipLocked())
        .replace("{current-read}", dialect.currentRead())
        .replace("{is-row}", dialect.isRow())
        .replace("{plan-anew}", dialect.planAnew())
        .replace("{plan-once}", dialect.planOnce())
        .replace("{commit-unsynced}", dialect.commitUnsynced())
        .replace("{commit-synced}", dialect.commitSynced());
  }

  /** The database's clock. */
  long millis(Connection connection) throws SQLException {
    return Jdbc.list(connection, text("SELECT {now}"), row -> row.getLong(1)).get(0);
  }

  RowChange change(String template, String columns) {
    return new RowChange(text(template), columns);
  }
}
