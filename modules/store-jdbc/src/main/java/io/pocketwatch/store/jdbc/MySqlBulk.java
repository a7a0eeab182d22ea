// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Multi-row inserts that leave present rows alone. Not INSERT IGNORE, which would turn other errors
 * into warnings. Neither counts nor RETURNING tell the new rows from the present ones, so each call
 * writes its name into its rows and asks for them.
 */
final class MySqlBulk extends BatchBulk {
  private static final int MAX_ROWS = 500;
  private static final long MAX_BYTES = 4L << 20;

  private final Sql sql;

  MySqlBulk(Sql sql) {
    super(sql);
    this.sql = sql;
  }

  @Override
  public Set<MessageKey> insertAbsent(
      Connection connection, List<ScheduledMessage> rows, @Nullable String owner, long leaseMillis)
      throws SQLException {
    String insertion = UUID.randomUUID().toString();
    for (List<ScheduledMessage> chunk : Chunks.of(rows, MAX_ROWS, MAX_BYTES)) {
      insert(connection, chunk, owner, leaseMillis, insertion);
    }
    String insertions = sql.text("SELECT route, id, insertion FROM {message}");
    Set<MessageKey> inserted = new HashSet<>();
    select(
        connection,
        Planned.ANEW,
        insertions,
        "",
        rows.stream().map(ScheduledMessage::key).toList(),
        row -> insertion.equals(row.getString("insertion")) && inserted.add(MessageRows.key(row)));
    return inserted;
  }

  private void insert(
      Connection connection,
      List<ScheduledMessage> chunk,
      @Nullable String owner,
      long leaseMillis,
      String insertion)
      throws SQLException {
    String lease = owner == null ? "0, 0" : "{now} + " + leaseMillis + ", 1";
    String row = "(" + "?, ".repeat(11) + "'PENDING', ?, " + lease + ", {now}, {now}, ?)";
    String text =
        sql.text(
            "INSERT INTO {message} (%s, %s, insertion) VALUES %s%s ON DUPLICATE KEY UPDATE id = {message}.id"
                .formatted(
                    InsertColumns.GIVEN,
                    InsertColumns.REST,
                    row,
                    (", " + row).repeat(chunk.size() - 1)));
    try (PreparedStatement statement = connection.prepareStatement(text)) {
      int at = 1;
      for (ScheduledMessage message : chunk) {
        for (Object value : Arrays.asList(InsertColumns.of(message))) {
          statement.setObject(at++, value);
        }
        statement.setString(at++, owner);
        statement.setString(at++, insertion);
      }
      statement.executeUpdate();
    }
  }
}
