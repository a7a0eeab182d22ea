// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.BrokerIdentity;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** The row that names the broker to which the messages of this store go. */
final class BrokerRow {
  private final Sql sql;

  BrokerRow(Sql sql) {
    this.sql = sql;
  }

  Optional<BrokerIdentity> read(Connection connection) throws SQLException {
    return Jdbc.first(
        connection,
        sql.text("SELECT cluster_name, virtual_host FROM {broker}"),
        row -> new BrokerIdentity(row.getString("cluster_name"), row.getString("virtual_host")));
  }

  BrokerIdentity insert(Connection connection, BrokerIdentity broker) throws SQLException {
    Jdbc.update(
        connection,
        sql.text(
            "INSERT INTO {broker} (only_row, cluster_name, virtual_host, noted_at)"
                + " VALUES (1, ?, ?, {now})"),
        broker.cluster(),
        broker.virtualHost());
    return broker;
  }

  BrokerIdentity replace(Connection connection, BrokerIdentity broker) throws SQLException {
    Jdbc.update(connection, sql.text("DELETE FROM {broker}"));
    return insert(connection, broker);
  }
}
