// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.OverviewStore.ChangeNote;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What people have changed by hand: the latest ones. */
final class ChangeNotes {
  static final int KEPT = 10_000;
  private static final int MOST = 1_000;
  private static final int WHAT = 40;
  private static final int SUBJECT = 500;

  private final Sql sql;

  ChangeNotes(Sql sql) {
    this.sql = sql;
  }

  void write(Connection connection, ChangeNote note) throws SQLException {
    Jdbc.update(
        connection,
        sql.text(
            "INSERT INTO {change} (changed_at, changed_by, what, route, subject, done, refused)"
                + " VALUES ({now}, ?, ?, ?, ?, ?, ?)"),
        cut(note.by(), RowLimits.OWNER),
        cut(note.what(), WHAT),
        cut(note.route(), RowLimits.ROUTE),
        cut(note.subject(), SUBJECT),
        note.done(),
        note.refused());
    long last =
        Jdbc.first(connection, sql.text("SELECT MAX(seq) FROM {change}"), row -> row.getLong(1))
            .orElse(0L);
    Jdbc.update(connection, sql.text("DELETE FROM {change} WHERE seq <= ?"), last - KEPT);
  }

  private static @Nullable String cut(@Nullable String text, int most) {
    if (text == null) {
      return null;
    }
    String clean = text.replace("\0", "");
    if (clean.length() <= most) {
      return clean;
    }
    int end = Character.isHighSurrogate(clean.charAt(most - 2)) ? most - 2 : most - 1;
    return clean.substring(0, end) + "…";
  }

  List<ChangeNote> read(Connection connection, @Nullable Long before, int limit)
      throws SQLException {
    RowLimits.limit(limit, MOST);
    return Jdbc.list(
        connection,
        sql.text(
            "SELECT seq, changed_at, changed_by, what, route, subject, done, refused FROM {change}"
                + " WHERE seq < ? ORDER BY seq DESC LIMIT ?"),
        row ->
            new ChangeNote(
                row.getLong("seq"),
                Jdbc.instant(row, "changed_at"),
                row.getString("changed_by"),
                row.getString("what"),
                row.getString("route"),
                row.getString("subject"),
                row.getLong("done"),
                row.getLong("refused")),
        before == null ? Long.MAX_VALUE : before,
        limit);
  }
}
