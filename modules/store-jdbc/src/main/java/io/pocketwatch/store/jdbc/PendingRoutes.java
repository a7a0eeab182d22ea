// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The routes that have pending rows, found by one step in the index for each. */
final class PendingRoutes {
  private PendingRoutes() {}

  static List<String> all(Connection connection, Sql sql) throws SQLException {
    String next =
        sql.text(
            "{plan-anew}SELECT route FROM {message} WHERE state = 'PENDING' AND route > ?"
                + " ORDER BY route LIMIT 1");
    List<String> routes = new ArrayList<>();
    Optional<String> route = Jdbc.first(connection, next, row -> row.getString(1), "");
    while (route.isPresent()) {
      routes.add(route.get());
      route = Jdbc.first(connection, next, row -> row.getString(1), route.get());
    }
    return routes;
  }
}
