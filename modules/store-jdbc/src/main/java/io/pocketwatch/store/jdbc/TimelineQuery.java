// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.OverviewStore.Changed;
import io.pocketwatch.store.OverviewStore.Changed.Kind;
import io.pocketwatch.store.OverviewStore.Handled;
import io.pocketwatch.store.OverviewStore.Life;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The past of messages. Only a change by hand leaves a line of its own, in the row's column {@code
 * changes}: {@code MILLIS KIND DUE-MILLIS ACTOR}, with a dash for no instant.
 */
final class TimelineQuery {
  /** Adds {@code :entry} behind the clock, as the first of an UPDATE's columns. */
  static final String ADD =
      "changes = RIGHT(CONCAT(COALESCE(changes, ''), {now}, :entry), %s)"
          .formatted(TimelineQuery.LONGEST);

  private static final int KEPT = 20;

  /** Room for more than the kept number of the longest lines. */
  private static final int LONGEST = 5_000;

  private final Sql sql;

  TimelineQuery(Sql sql) {
    this.sql = sql;
  }

  /** A line without its beginning, which is the database's to write. */
  static String entry(Kind kind, @Nullable Long due, @Nullable String actor) {
    return " %s %s %s\n"
        .formatted(
            kind, due == null ? "-" : due, actor == null ? "" : actor.replaceAll("\\p{Cc}", " "));
  }

  Optional<Life> read(Connection connection, MessageKey key) throws SQLException {
    if (!RowLimits.possible(key)) {
      return Optional.empty();
    }
    return Jdbc.first(
        connection,
        sql.text(
            "SELECT consumer, begun_at, state, finished_at, first_deliver_at, changes"
                + " FROM {message} WHERE route = ? AND id = ?"),
        row ->
            new Life(
                Jdbc.instant(row, "first_deliver_at"),
                handling(row),
                changes(row.getString("changes"))),
        key.route(),
        key.id());
  }

  private static @Nullable Handled handling(ResultSet row) throws SQLException {
    Instant begunAt = Jdbc.instantOrNull(row, "begun_at");
    boolean settled = MessageState.valueOf(row.getString("state")) == MessageState.SETTLED;
    return begunAt == null
        ? null
        : new Handled(
            row.getString("consumer"),
            begunAt,
            settled ? Jdbc.instantOrNull(row, "finished_at") : null);
  }

  private static List<Changed> changes(@Nullable String text) {
    if (text == null) {
      return List.of();
    }
    List<Changed> changes = new ArrayList<>();
    String[] lines = text.split("\n");
    // The first of more lines than are kept may have lost its beginning.
    for (int i = Math.max(0, lines.length - KEPT); i < lines.length; i++) {
      String[] parts = lines[i].split(" ", 4);
      changes.add(
          new Changed(
              Kind.valueOf(parts[1]),
              instant(parts[0]),
              parts[2].equals("-") ? null : instant(parts[2]),
              parts[3].isEmpty() ? null : parts[3]));
    }
    return changes;
  }

  private static Instant instant(String millis) {
    return Instant.ofEpochMilli(Long.parseLong(millis));
  }
}
