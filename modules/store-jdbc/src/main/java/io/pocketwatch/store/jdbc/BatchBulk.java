// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.Claim;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore.Attempts;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** JDBC batches and IN lists, for databases without arrays. */
abstract class BatchBulk implements Bulk {
  /** Keys in one IN list: well below every database's limit on parameters. */
  private static final int KEYS_PER_STATEMENT = 500;

  private final Sql sql;
  private final LockedRows rows;
  private final String claimed;
  private final RowChange claim;

  BatchBulk(Sql sql) {
    this.sql = sql;
    this.rows = new LockedRows(sql, this);
    this.claimed = sql.text("SELECT " + MessageRows.COLUMNS + " FROM {message}");
    this.claim =
        sql.change(
            "UPDATE {message} SET "
                + Claims.CLAIMED.replace("= ?", "= :holder").replace("+ ?", "+ :lease")
                + " WHERE route = :route AND id = :id AND state = 'PENDING'"
                + " AND lease_until <= {now}",
            "holder text, lease bigint, route text, id text");
  }

  /** A candidate for a claim, which not every database has locked for us. */
  private record Candidate(MessageKey key, long bytes, boolean abandoned) {}

  @Override
  public String claimStatement(String condition) {
    return sql.text(
        "SELECT route, id, OCTET_LENGTH(body) + OCTET_LENGTH(properties) AS bytes, "
            + ("CASE WHEN " + Claims.ABANDONED + " THEN 1 ELSE 0 END AS left_behind")
            + " FROM {message} WHERE "
            + condition
            + " LIMIT ?{skip-locked}");
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
    List<Object> all = new ArrayList<>(parameters);
    all.add(maxRows);
    List<Candidate> found =
        Jdbc.list(
            connection,
            statement,
            row ->
                new Candidate(
                    MessageRows.key(row), row.getLong("bytes"), row.getInt("left_behind") == 1),
            all.toArray());
    Map<MessageKey, Candidate> within = within(found, maxBytes);
    boolean[] taken =
        change(
            connection,
            Planned.ANEW,
            claim,
            Bulk.values(
                within.keySet(),
                key -> new @Nullable Object[] {holder, leaseMillis, key.route(), key.id()}));
    List<MessageKey> keys = new ArrayList<>();
    List<MessageKey> asked = List.copyOf(within.keySet());
    for (int i = 0; i < taken.length; i++) {
      if (taken[i]) {
        keys.add(asked.get(i));
      }
    }
    return select(
        connection,
        Planned.ANEW,
        claimed,
        "",
        keys,
        row ->
            new Claim(
                MessageRows.map(row),
                holder,
                row.getLong("fence"),
                Objects.requireNonNull(within.get(MessageRows.key(row))).abandoned));
  }

  private static Map<MessageKey, Candidate> within(List<Candidate> candidates, long maxBytes) {
    Map<MessageKey, Candidate> within = new LinkedHashMap<>();
    long bytes = 0;
    for (Candidate candidate : candidates) {
      bytes += candidate.bytes;
      if (bytes > maxBytes && !within.isEmpty()) {
        break;
      }
      within.put(candidate.key, candidate);
    }
    return within;
  }

  /** Locks and reads the rows, and then writes those that fit. */
  @Override
  public List<Changed> changePossible(
      Connection connection, KeyedChange change, List<@Nullable Object[]> values, Fits fits)
      throws SQLException {
    List<MessageKey> keys = values.stream().map(Bulk::key).toList();
    LockedRows.Found rows = this.rows.find(connection, keys);
    List<Changed> found = new ArrayList<>();
    List<@Nullable Object[]> fitting = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      LockedRow row = rows.ours().get(keys.get(i));
      boolean changes = row != null && fits.test(row, i);
      if (changes) {
        fitting.add(values.get(i));
      }
      found.add(
          new Changed(
              changes, Attempts.NONE, 0, row == null ? rows.others().get(keys.get(i)) : row));
    }
    for (boolean written : change(connection, Planned.ONCE, change.ofLocked(), fitting)) {
      if (!written) {
        throw new SQLException("a locked row is not there to be written");
      }
    }
    return found;
  }

  @Override
  public <T> List<T> select(
      Connection connection,
      Planned planned,
      String select,
      String suffix,
      List<MessageKey> keys,
      Jdbc.RowMapper<T> mapper)
      throws SQLException {
    List<T> found = new ArrayList<>();
    for (List<MessageKey> some : chunks(keys)) {
      String text = select + in(some.size()) + suffix;
      found.addAll(Jdbc.list(connection, text, mapper, parameters(some)));
    }
    return found;
  }

  @Override
  public void update(Connection connection, String statement, List<MessageKey> keys)
      throws SQLException {
    for (List<MessageKey> some : chunks(keys)) {
      Jdbc.update(connection, statement + in(some.size()), parameters(some));
    }
  }

  private static List<List<MessageKey>> chunks(List<MessageKey> keys) {
    List<List<MessageKey>> chunks = new ArrayList<>();
    for (int from = 0; from < keys.size(); from += KEYS_PER_STATEMENT) {
      chunks.add(keys.subList(from, Math.min(keys.size(), from + KEYS_PER_STATEMENT)));
    }
    return chunks;
  }

  private static String in(int count) {
    return " WHERE (route, id) IN ((?, ?)" + ", (?, ?)".repeat(count - 1) + ")";
  }

  private static @Nullable Object[] parameters(List<MessageKey> keys) {
    return keys.stream().flatMap(key -> Stream.of(key.route(), key.id())).toArray();
  }

  @Override
  public boolean[] change(
      Connection connection, Planned planned, RowChange change, List<@Nullable Object[]> values)
      throws SQLException {
    boolean[] changed = new boolean[values.size()];
    if (values.isEmpty()) {
      return changed;
    }
    List<Integer> positions = change.positions();
    try (PreparedStatement statement = connection.prepareStatement(change.positional())) {
      for (@Nullable Object[] row : values) {
        Jdbc.bind(statement, positions.stream().map(at -> row[at]).toArray());
        statement.addBatch();
      }
      int[] counts = statement.executeBatch();
      for (int i = 0; i < counts.length; i++) {
        if (counts[i] == Statement.SUCCESS_NO_INFO) {
          throw new SQLException(
              "the JDBC driver does not say how many rows each statement of a batch changed;"
                  + " leave out useBulkStmts and rewriteBatchedStatements from its URL");
        }
        changed[i] = counts[i] > 0;
      }
    }
    return changed;
  }
}
