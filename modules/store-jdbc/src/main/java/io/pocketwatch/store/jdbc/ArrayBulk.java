// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.Claim;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SettlingStore.Attempts;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
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
          "text");

  private final Sql sql;
  private final String planAnew;
  private final String planOnce;
  private final String insert;

  ArrayBulk(Sql sql) {
    this.sql = sql;
    this.planAnew = sql.text("{plan-anew}");
    this.planOnce = sql.text("{plan-once}");
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
  public String claimStatement(String condition) {
    return sql.text(
        "{plan-once}UPDATE {message} SET "
            + Claims.CLAIMED
            + " FROM (SELECT place, left_behind FROM (SELECT place, left_behind, number,"
            + " SUM(bytes) OVER (ORDER BY number) AS all_bytes FROM (SELECT place, left_behind,"
            + " bytes, ROW_NUMBER() OVER () AS number FROM (SELECT ctid AS place, "
            + Claims.ABANDONED
            + " AS left_behind, OCTET_LENGTH(body) + OCTET_LENGTH(properties) AS bytes"
            + " FROM {message} WHERE "
            + condition
            + " LIMIT ? FOR NO KEY UPDATE SKIP LOCKED) AS candidate)"
            + " AS numbered) AS summed WHERE all_bytes <= ? OR number = 1) AS found"
            + " WHERE {message}.ctid = found.place RETURNING "
            + MessageRows.COLUMNS
            + ", left_behind");
  }

  @Override
  public List<Claim> claim(
      Connection connection,
      String statement,
      int maxRows,
      long maxBytes,
      String holder,
      long leaseMillis,
      List<Object> parameters)
      throws SQLException {
    List<Object> all = new ArrayList<>(List.of(holder, leaseMillis));
    all.addAll(parameters);
    all.addAll(List.of(maxRows, maxBytes));
    return Jdbc.list(
        connection,
        statement,
        row ->
            new Claim(
                MessageRows.map(row), holder, row.getLong("fence"), row.getBoolean("left_behind")),
        all.toArray());
  }

  @Override
  public List<Changed> changePossible(
      Connection connection, KeyedChange change, List<@Nullable Object[]> values, Fits fits)
      throws SQLException {
    Changed[] found = new Changed[values.size()];
    try (PreparedStatement statement = connection.prepareStatement(change.inOneStatement())) {
      bind(connection, statement, change.ofLocked().types(), values);
      try (ResultSet row = Jdbc.rows(statement)) {
        while (row.next()) {
          found[row.getInt("ordinal") - 1] = changed(row);
        }
      }
    }
    return List.of(found);
  }

  private static Changed changed(ResultSet row) throws SQLException {
    if (row.getBoolean("changed")) {
      Attempts attempts = new Attempts(row.getInt("now_postponed"), row.getInt("now_retries"));
      return new Changed(true, attempts, row.getLong("now_deliver_at"), null);
    }
    return row.getString("row_name") == null
        ? Changed.NONE
        : new Changed(false, Attempts.NONE, 0, LockedRow.of(row));
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
    String ahead = planned == Planned.ONCE ? "" : planAnew;
    try (PreparedStatement statement = connection.prepareStatement(ahead + change.arrays())) {
      bind(connection, statement, change.types(), values);
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
