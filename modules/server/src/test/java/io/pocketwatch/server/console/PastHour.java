// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.console;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * Messages that were settled in the hour before the test, so that the charts have something to
 * show.
 */
final class PastHour {
  private static final String MESSAGES =
      """
      INSERT INTO pocketwatch_message (route, id, exchange, routing_key, properties, body, deliver_at,
        first_deliver_at, tracking, settlements, settled, state, created_at, updated_at, finished_at)
      SELECT route, 'past-' || i, '', route, '\\x0000', '', due, due, 'FULL', 1, 1, 'SETTLED',
        due - 900000 - i % 7 * 60000, due, due
      FROM (SELECT i, CASE WHEN i % 3 = 0 THEN 'reminder' ELSE 'order-timeout' END AS route,
              (extract(epoch FROM now()) * 1000)::bigint - i * 300 AS due
            FROM generate_series(1, 12000) AS i
            WHERE random() < 0.55 + 0.35 * sin(i / 900.0)) AS past
      """;
  private static final String SETTLEMENTS =
      """
      INSERT INTO pocketwatch_settlement (route, id, consumer, generation, token, lease_until, begun_at,
        settled_at, deliver_at)
      SELECT route, id, route, 1, '', 0, deliver_at + late, deliver_at + late + 3, deliver_at
      FROM (SELECT *, (4 + 9 * random() + CASE WHEN random() < 0.015 THEN 40 * random() ELSE 0 END)::int
              AS late FROM pocketwatch_message WHERE id LIKE 'past-%') AS past
      """;

  private PastHour() {}

  static void insert(DataSource database) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.executeUpdate(MESSAGES);
      statement.executeUpdate(SETTLEMENTS);
    }
  }
}
