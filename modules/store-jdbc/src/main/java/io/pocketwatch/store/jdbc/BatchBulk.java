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
import org.jspecify.annotations.Nullable;

/** JDBC batches, for databases without arrays. */
abstract class BatchBulk implements Bulk {
  private final String select;
  private final RowChange claim;

  BatchBulk(Sql sql) {
    this.select = sql.text("SELECT " + MessageRows.COLUMNS + " FROM {message}");
    this.claim =
        sql.change(
            "UPDATE {message} SET owner = :owner, lease_until = {now} + :lease, fence = fence + 1,"
                + " updated_at = {now} WHERE route = :route AND id = :id AND state = 'PENDING'"
                + " AND lease_until <= {now}",
            "owner text",
            "lease bigint",
            "route text",
            "id text");
  }

  @Override
  public List<Claim> claim(
      Connection connection, String route, List<String> ids, String owner, long leaseMillis)
      throws SQLException {
    List<@Nullable Object[]> values = new ArrayList<>();
    ids.forEach(id -> values.add(new @Nullable Object[] {owner, leaseMillis, route, id}));
    boolean[] claimed = change(connection, claim, values);
    List<MessageKey> keys = new ArrayList<>();
    for (int i = 0; i < claimed.length; i++) {
      if (claimed[i]) {
        keys.add(new MessageKey(route, ids.get(i)));
      }
    }
    return MessageRows.byKeys(
        connection,
        select,
        "",
        keys,
        row -> new Claim(MessageRows.map(row), owner, row.getLong("fence")));
  }

  @Override
  public boolean[] change(Connection connection, RowChange change, List<@Nullable Object[]> values)
      throws SQLException {
    boolean[] changed = new boolean[values.size()];
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
