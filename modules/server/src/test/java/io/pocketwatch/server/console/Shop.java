// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.console;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/** What a shop has in its tables, so that the page has something to show. */
final class Shop {
  /** Settled in the last hour. */
  private static final String PAST =
      """
      INSERT INTO pocketwatch_message (route, id, exchange, routing_key, properties, body, deliver_at,
        first_deliver_at, next_at, tracking, state, created_at, updated_at, finished_at,
        consumer, holder, begun_at)
      SELECT route, 'past-' || i, '', route, '\\x0000', '', due, due, due, 'FULL', 'SETTLED',
        due - 900000 - (600000 * random())::bigint, due + late + 3, due + late + 3,
        route, 'settled', due + late
      FROM (SELECT i, CASE WHEN i % 3 = 0 THEN 'reminder' ELSE 'order-timeout' END AS route,
              (extract(epoch FROM now()) * 1000)::bigint - i * 900 AS due,
              (9 + 25 * random() * random() + CASE WHEN random() < 0.015 THEN 90 * random() ELSE 0 END)::int AS late
            FROM generate_series(1, 4000) AS i
            WHERE random() < 0.55 + 0.35 * sin(i / 300.0)) AS past
      """;

  /** What a loader has counted of the month: days, nights and weekends. */
  private static final String COUNTED =
      """
      INSERT INTO pocketwatch_rollup (period_at, route, scheduled, settled, cancelled, failed, late_1, late_2,
        late_5, late_10, late_20, late_50, late_100, late_200, late_500, late_1000, late_2000, late_5000,
        late_10000, late_30000, late_60000, late_300000, late_900000, late_3600000, late_21600000,
        late_86400000, late_more)
      SELECT period, route, n + n / 12, n, n / 14, CASE WHEN random() < 0.08 THEN n / 90 ELSE 0 END, 0, 0, n / 20,
        (n * (0.4 + 0.2 * random()))::bigint, (n * (0.3 + 0.2 * random()))::bigint, n / 25, n / 60, CASE WHEN random() < 0.3 THEN n / 60 ELSE 0 END, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0
      FROM (
        SELECT period, route, (share * (0.35 + 0.15 * random()
            + 0.5 * greatest(0, sin((period / 3600000 % 24 - 0.5) / 24.0 * 2 * pi())))
            * CASE WHEN period / 86400000 % 7 IN (2, 3) THEN 0.6 ELSE 1 END)::bigint AS n
        FROM (SELECT (extract(epoch FROM now()) * 1000)::bigint / 900000 * 900000 AS clock) AS now,
          (VALUES ('order-timeout', 1400), ('reminder', 700), ('review', 500), ('basket', 400))
            AS shape (route, share),
          LATERAL generate_series(clock - 2592000000, clock, 900000) AS period
      ) AS counted
      """;

  /** Comes due in the next three hours, in waves; and a little in each hour of the week after. */
  private static final String NEXT =
      """
      INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body,
        deliver_at, first_deliver_at, next_at, tracking, state, created_at, updated_at)
      SELECT route, route || '-' || 100000 + row_number() OVER (), 'order-' || 480000 + row_number() OVER (),
        '', route, '\\x0000', '\\x7b7d', due, due, due, 'FULL', 'PENDING', created, created
      FROM (
        SELECT route, clock + {calm} + (m * 60000 + random() * 60000)::bigint AS due, clock - (3600000 * random())::bigint AS created
        FROM (SELECT (extract(epoch FROM now()) * 1000)::bigint AS clock) AS now,
          generate_series(0, 177) AS m,
          (VALUES ('order-timeout', 13, 5, 17.0, 0.0, 1.0), ('review', 7, 5, 41.0, 2.0, 0.0),
            ('basket', 5, 3, 11.0, 4.0, 0.2), ('reminder', 9, 6, 29.0, 1.0, 0.4))
            AS shape (route, usual, wave, width, phase, fades),
          LATERAL generate_series(1, (usual * (1 - fades * m / 240.0)
            + wave * sin(m / width + phase) + 2 * random())::int) AS n
        UNION ALL
        SELECT CASE WHEN n % 3 = 0 THEN 'review' ELSE 'reminder' END,
          clock + 21600000 + n * 30000, clock - 3600000 - n * 1000
        FROM (SELECT (extract(epoch FROM now()) * 1000)::bigint AS clock) AS now,
          generate_series(1, 18000) AS n
      ) AS next
      """;

  private static final String PARKED =
      """
      INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body,
        deliver_at, first_deliver_at, next_at, tracking, state, reason, attempts, created_at, updated_at)
      SELECT 'review', 'review-' || 90000 + n, 'order-' || 470000 + n, '', 'review', '\\x0000', '\\x7b7d',
        due, due, due, 'FULL', 'PARKED', '312 NO_ROUTE', 3, due - 86400000, due
      FROM (SELECT n, (extract(epoch FROM now()) * 1000)::bigint - 1800000 - n * 40000 AS due
            FROM generate_series(1, 4) AS n) AS parked
      """;

  private Shop() {}

  /**
   * @param calm for so long nothing comes due
   */
  static void insert(DataSource database, Duration calm) throws SQLException {
    String next = NEXT.replace("{calm}", String.valueOf(calm.toMillis()));
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      for (String each : List.of(PAST, next, PARKED, COUNTED)) {
        statement.executeUpdate(each);
      }
    }
  }
}
