// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.Claim;
import io.pocketwatch.store.MessageKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** JDBC batches and IN lists, for databases without arrays. */
abstract class BatchBulk implements Bulk {
  /** Keys in one IN list: well below every database's limit on parameters. */
  private static final int KEYS_PER_STATEMENT = 500;

  private final String claimed;
  private final RowChange claim;

  BatchBulk(Sql sql) {
    this.claimed = sql.text("SELECT " + MessageRows.COLUMNS + " FROM {message}");
    this.claim =
        sql.change(
            "UPDATE {message} SET "
                + Claims.COPY_OF_LAST_OWNER
                + ", owner = :owner, lease_until = {now} + :lease, fence = fence + 1,"
                + " updated_at = {now} WHERE route = :route AND id = :id AND state = 'PENDING'"
                + " AND lease_until <= {now}",
            "owner text, lease bigint, route text, id text");
  }

  @Override
  public List<Claim> claim(
      Connection connection, String route, List<String> ids, String owner, long leaseMillis)
      throws SQLException {
    List<@Nullable Object[]> values = new ArrayList<>();
    ids.forEach(id -> values.add(new @Nullable Object[] {owner, leaseMillis, route, id}));
    boolean[] taken = change(connection, Planned.ANEW, claim, values);
    List<MessageKey> keys = new ArrayList<>();
    for (int i = 0; i < taken.length; i++) {
      if (taken[i]) {
        keys.add(new MessageKey(route, ids.get(i)));
      }
    }
    return select(
        connection,
        Planned.ANEW,
        claimed,
        "",
        keys,
        row -> new Claim(MessageRows.map(row), owner, row.getLong("fence")));
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
