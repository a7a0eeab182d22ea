// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.Claim;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** PostgreSQL: one array per column, so that the text of a statement never changes. */
final class ArrayBulk implements Bulk {
  private static final String KEYS = "unnest(?::text[], ?::text[])";

  private static final int MAX_ROWS = 2_000;
  private static final long MAX_BYTES = 16L << 20;

  private static final List<String> TYPES =
      List.of(
          "text", "text", "text", "text", "text", "bytea", "bytea", "bigint", "bigint", "bigint",
          "text", "integer");

  private final String planAnew;
  private final String planOnce;
  private final String insert;
  private final String claim;

  ArrayBulk(Sql sql) {
    this.planAnew = sql.text("{plan-anew}");
    this.planOnce = sql.text("{plan-once}");
    this.claim =
        sql.text(
            "UPDATE {message} SET "
                + Claims.COPY_OF_LAST_OWNER
                + ", owner = ?, lease_until = {now} + ?, fence = fence + 1,"
                + " updated_at = {now} WHERE ctid = ANY (?::tid[])"
                // As in Claims: the state is not to tempt the planner to read all that is pending.
                + " AND CONCAT(state, '') = 'PENDING'"
                + " AND lease_until <= {now} RETURNING "
                + MessageRows.COLUMNS);
    StringBuilder arrays = new StringBuilder();
    TYPES.forEach(t -> arrays.append(arrays.isEmpty() ? "" : ", ").append("?::" + t + "[]"));
    this.insert =
        sql.text(
            ("INSERT INTO {message} (%1$s, %2$s)"
                    + " SELECT v.*, 'PENDING', p.owner,"
                    + " CASE WHEN p.owner IS NULL THEN 0 ELSE p.at + p.lease END,"
                    + " CASE WHEN p.owner IS NULL THEN 0 ELSE 1 END, p.at, p.at"
                    + " FROM unnest(%3$s) AS v(%1$s),"
                    + " (SELECT ?::text AS owner, ?::bigint AS lease, {now} AS at) AS p"
                    + " ON CONFLICT (route, id) DO NOTHING RETURNING route, id")
                .formatted(InsertColumns.GIVEN, InsertColumns.REST, arrays));
  }

  @Override
  public Set<MessageKey> insertAbsent(
      Connection connection, List<ScheduledMessage> rows, @Nullable String owner, long leaseMillis)
      throws SQLException {
    Set<MessageKey> inserted = new HashSet<>();
    for (List<ScheduledMessage> chunk : Chunks.of(rows, MAX_ROWS, MAX_BYTES)) {
      List<@Nullable Object[]> values = chunk.stream().map(InsertColumns::of).toList();
      try (PreparedStatement statement = connection.prepareStatement(insert)) {
        bind(connection, statement, TYPES, values);
        statement.setString(TYPES.size() + 1, owner);
        statement.setLong(TYPES.size() + 2, leaseMillis);
        try (ResultSet keys = statement.executeQuery()) {
          while (keys.next()) {
            inserted.add(MessageRows.key(keys));
          }
        }
      }
    }
    return inserted;
  }

  @Override
  public List<Claim> claim(
      Connection connection, String route, List<String> rowNames, String owner, long leaseMillis)
      throws SQLException {
    Array array = connection.createArrayOf("text", rowNames.toArray());
    return Jdbc.list(
        connection,
        claim,
        row -> new Claim(MessageRows.map(row), owner, row.getLong("fence")),
        owner,
        leaseMillis,
        array);
  }

  /** A look-up per key, since the planner may well prefer to read a route for a list of keys. */
  @Override
  public <T> List<T> select(
      Connection connection,
      Planned planned,
      String select,
      String suffix,
      List<MessageKey> keys,
      Jdbc.RowMapper<T> mapper)
      throws SQLException {
    if (keys.isEmpty()) {
      return List.of();
    }
    String text =
        "SELECT found.* FROM %s AS k(k_route, k_id) CROSS JOIN LATERAL (%s WHERE route = k_route AND id = k_id%s OFFSET 0) AS found"
            .formatted(KEYS, select, suffix);
    String ahead = planned == Planned.ONCE ? planOnce : planAnew;
    return Jdbc.list(connection, ahead + text, mapper, arrays(connection, keys));
  }

  @Override
  public void update(Connection connection, String statement, List<MessageKey> keys)
      throws SQLException {
    if (keys.isEmpty()) {
      return;
    }
    String text = statement + " WHERE (route, id) IN (SELECT * FROM " + KEYS + ")";
    Jdbc.update(connection, planAnew + text, arrays(connection, keys));
  }

  private static @Nullable Object[] arrays(Connection connection, List<MessageKey> keys)
      throws SQLException {
    return new @Nullable Object[] {
      connection.createArrayOf("text", keys.stream().map(MessageKey::route).toArray()),
      connection.createArrayOf("text", keys.stream().map(MessageKey::id).toArray())
    };
  }

  @Override
  public boolean[] change(
      Connection connection, Planned planned, RowChange change, List<@Nullable Object[]> values)
      throws SQLException {
    boolean[] changed = new boolean[values.size()];
    if (values.isEmpty()) {
      return changed;
    }
    List<String> types = change.columns().stream().map(RowChange.Column::type).toList();
    String ahead = planned == Planned.ONCE ? "" : planAnew;
    try (PreparedStatement statement = connection.prepareStatement(ahead + change.arrays())) {
      bind(connection, statement, types, values);
      try (ResultSet rows = Jdbc.rows(statement)) {
        while (rows.next()) {
          changed[rows.getInt(1) - 1] = true;
        }
      }
    }
    return changed;
  }

  private static void bind(
      Connection connection,
      PreparedStatement statement,
      List<String> types,
      List<@Nullable Object[]> values)
      throws SQLException {
    for (int column = 0; column < types.size(); column++) {
      int at = column;
      String type = types.get(column);
      @Nullable Object[] array =
          values.stream()
              .map(row -> row[at])
              .toArray(
                  switch (type) {
                    case "text" -> String[]::new;
                    case "bytea" -> byte[][]::new;
                    case "bigint" -> Long[]::new;
                    case "integer" -> Integer[]::new;
                    default -> throw new IllegalStateException(type);
                  });
      statement.setArray(column + 1, connection.createArrayOf(type, array));
    }
  }
}
