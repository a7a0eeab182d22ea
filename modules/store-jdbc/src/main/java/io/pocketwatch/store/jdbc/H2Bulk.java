// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Plain inserts: in H2 a present row fails alone, without failing its batch or transaction. */
final class H2Bulk extends BatchBulk {
  private static final int DUPLICATE_KEY = 23505;

  private final Sql sql;

  H2Bulk(Sql sql) {
    super(sql);
    this.sql = sql;
  }

  @Override
  public Set<MessageKey> insertAbsent(
      Connection connection, List<ScheduledMessage> rows, @Nullable String owner, long leaseMillis)
      throws SQLException {
    String text =
        sql.text(
            "INSERT INTO {message} (%s, %s) VALUES (%s'PENDING', ?, %s, {now}, {now})"
                .formatted(
                    InsertColumns.GIVEN,
                    InsertColumns.REST,
                    "?, ".repeat(11),
                    owner == null ? "0, 0" : "{now} + " + leaseMillis + ", 1"));
    Set<MessageKey> inserted = new HashSet<>();
    try (PreparedStatement statement = connection.prepareStatement(text)) {
      for (ScheduledMessage message : rows) {
        Jdbc.bind(statement, InsertColumns.of(message));
        statement.setString(12, owner);
        statement.addBatch();
      }
      int[] counts = run(statement);
      for (int i = 0; i < counts.length; i++) {
        if (counts[i] != Statement.EXECUTE_FAILED) {
          inserted.add(rows.get(i).key());
        }
      }
    }
    return inserted;
  }

  private static int[] run(PreparedStatement statement) throws SQLException {
    try {
      return statement.executeBatch();
    } catch (BatchUpdateException e) {
      for (SQLException each = e.getNextException(); each != null; each = each.getNextException()) {
        if (each.getErrorCode() != DUPLICATE_KEY) {
          throw each;
        }
      }
      return e.getUpdateCounts();
    }
  }
}
