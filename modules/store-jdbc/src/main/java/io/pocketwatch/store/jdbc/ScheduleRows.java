// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduleStore.FoundSchedule;
import io.pocketwatch.store.ScheduleStore.MessageMark;
import io.pocketwatch.store.ScheduleStore.ScheduleChange;
import io.pocketwatch.store.ScheduleStore.ScheduleChanged;
import io.pocketwatch.store.ScheduleStore.ScheduleTotals;
import io.pocketwatch.store.ScheduleStore.StoredSchedule;
import io.pocketwatch.store.SchedulingStore.InsertOutcome;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The schedules, and what their changes do to messages' rows. */
final class ScheduleRows {
  private static final int MAX_SCHEDULES = 1_000;

  private static final List<String> COLUMNS =
      List.of(
          "owner",
          "version",
          "definition",
          "next_at",
          "counts_from",
          "last_at",
          "last_route",
          "last_id",
          "fired",
          "missed",
          "skipped",
          "problem",
          "paused_at",
          "paused_until",
          "note",
          "orphaned",
          "changed_by",
          "created_at",
          "updated_at",
          "name");

  private static final String SUMMARIES =
      "SELECT " + String.join(", ", COLUMNS) + " FROM {schedule}";

  private static final String ROWS = SUMMARIES.replace("SELECT ", "SELECT payload, ");

  private static final String TOTALS =
      "SELECT COUNT(*), COALESCE(SUM(OCTET_LENGTH(payload)), 0) FROM {schedule}";

  private static final String NO_PAYLOAD = "{}";

  /** Parameters: how far ahead, in milliseconds. */
  private static final String DUE =
      "wake_at <= {now} + ? AND (paused_at IS NULL OR wake_at <= {now})";

  /** CONCAT as in {@link Claims}: the row is to be found by its key. */
  private static final String WITHDRAWABLE =
      " AND CONCAT(state, '') = 'PENDING' AND holder IS NULL AND held_until IS NULL"
          + " AND generation = 1{key-skip-locked}";

  /** LIKE with a character that escapes: by default no database has the same. */
  private static final String IDS_FROM =
      "{plan-anew}SELECT route, id, state, deliver_at, created_at, updated_at FROM {message}"
          + " WHERE route = ? AND id LIKE ? ESCAPE '!' ORDER BY id DESC LIMIT ?";

  private final Sql sql;
  private final Bulk bulk;
  private final Inserts inserts;

  ScheduleRows(Sql sql, Bulk bulk, Inserts inserts) {
    this.sql = sql;
    this.bulk = bulk;
    this.inserts = inserts;
  }

  List<StoredSchedule> all(Connection connection) throws SQLException {
    return Jdbc.list(connection, sql.text(SUMMARIES + " ORDER BY name"), row -> map(row, null));
  }

  ScheduleTotals totals(Connection connection) throws SQLException {
    return Jdbc.first(
            connection, sql.text(TOTALS), row -> new ScheduleTotals(row.getLong(1), row.getLong(2)))
        .orElseThrow();
  }

  Optional<StoredSchedule> find(Connection connection, String name) throws SQLException {
    return find(connection, name, "");
  }

  private Optional<StoredSchedule> find(Connection connection, String name, String suffix)
      throws SQLException {
    if (!RowLimits.possible(name)) {
      return Optional.empty();
    }
    String text = sql.text(ROWS + " WHERE name = ?" + suffix);
    return Jdbc.first(connection, text, ScheduleRows::map, name);
  }

  /** The names of schedules that are due; other processes may fire them first. */
  List<String> due(Connection connection, Duration ahead, int limit) throws SQLException {
    return Jdbc.list(
        connection,
        sql.text("SELECT name FROM {schedule} WHERE " + DUE + " ORDER BY wake_at, name LIMIT ?"),
        row -> row.getString(1),
        RowLimits.millis(ahead),
        RowLimits.limit(limit, MAX_SCHEDULES));
  }

  ScheduleChanged change(
      Connection connection,
      String name,
      Function<FoundSchedule, List<MessageKey>> withdraw,
      Function<FoundSchedule, ScheduleChange> change)
      throws SQLException {
    RowLimits.schedule(name);
    StoredSchedule found = find(connection, name, " FOR UPDATE").orElse(null);
    return apply(connection, name, found, withdraw, change);
  }

  /** Fires a schedule; empty if another process has locked it, or was first. */
  Optional<ScheduleChanged> fire(
      Connection connection,
      String name,
      Duration ahead,
      Function<FoundSchedule, ScheduleChange> change)
      throws SQLException {
    Optional<StoredSchedule> due =
        Jdbc.first(
            connection,
            sql.text(ROWS + " WHERE name = ? AND " + DUE + "{key-skip-locked}"),
            ScheduleRows::map,
            name,
            RowLimits.millis(ahead));
    return due.isEmpty()
        ? Optional.empty()
        : Optional.of(apply(connection, name, due.get(), each -> List.of(), change));
  }

  private ScheduleChanged apply(
      Connection connection,
      String name,
      @Nullable StoredSchedule found,
      Function<FoundSchedule, List<MessageKey>> withdraw,
      Function<FoundSchedule, ScheduleChange> function)
      throws SQLException {
    Instant now = Instant.ofEpochMilli(sql.millis(connection));
    MessageState last = lastState(connection, found);
    List<MessageKey> withdrawn =
        withdraw(connection, withdraw.apply(new FoundSchedule(found, now, last, List.of())));
    ScheduleChange change = function.apply(new FoundSchedule(found, now, last, withdrawn));
    write(connection, name, found, change.schedule());
    List<InsertOutcome> inserted =
        change.insert().isEmpty() ? List.of() : inserts.insert(connection, change.insert(), null);
    return new ScheduleChanged(change, inserted);
  }

  private List<MessageKey> withdraw(Connection connection, List<MessageKey> wanted)
      throws SQLException {
    Set<MessageKey> free =
        new HashSet<>(
            bulk.select(
                connection,
                Bulk.Planned.ANEW,
                sql.text("SELECT route, id FROM {message}"),
                sql.text(WITHDRAWABLE),
                wanted.stream().filter(RowLimits::possible).distinct().toList(),
                MessageRows::key));
    List<MessageKey> withdrawn = wanted.stream().takeWhile(free::contains).toList();
    bulk.update(connection, sql.text("DELETE FROM {message}"), withdrawn);
    return withdrawn;
  }

  private @Nullable MessageState lastState(Connection connection, @Nullable StoredSchedule found)
      throws SQLException {
    MessageKey last = found == null ? null : found.lastKey();
    if (last == null) {
      return null;
    }
    return Jdbc.first(
            connection,
            sql.text("{plan-anew}SELECT state FROM {message} WHERE route = ? AND id = ?"),
            row -> MessageState.valueOf(row.getString(1)),
            last.route(),
            last.id())
        .orElse(null);
  }

  private void write(
      Connection connection,
      String name,
      @Nullable StoredSchedule before,
      @Nullable StoredSchedule after)
      throws SQLException {
    if (after == null) {
      Jdbc.update(connection, sql.text("DELETE FROM {schedule} WHERE name = ?"), name);
      return;
    }
    if (!after.name().equals(name)) {
      throw new IllegalArgumentException("schedule " + name + " cannot become " + after.name());
    }
    if (before == null) {
      insert(connection, after);
    } else if (!after.equals(before)) {
      String columns = String.join(" = ?, ", COLUMNS.subList(0, COLUMNS.size() - 1));
      Jdbc.update(
          connection,
          sql.text("UPDATE {schedule} SET " + columns + " = ? WHERE name = ?"),
          values(after));
      if (after.payload() != null && !after.payload().equals(before.payload())) {
        String update = sql.text("UPDATE {schedule} SET payload = ? WHERE name = ?");
        Jdbc.update(connection, update, after.payload(), name);
      }
    }
  }

  private void insert(Connection connection, StoredSchedule schedule) throws SQLException {
    String insert =
        "INSERT INTO {schedule} (%s, payload) VALUES (?%s)"
            .formatted(String.join(", ", COLUMNS), ", ?".repeat(COLUMNS.size()));
    @Nullable Object[] values = Arrays.copyOf(values(schedule), COLUMNS.size() + 1);
    values[COLUMNS.size()] = schedule.payload() == null ? NO_PAYLOAD : schedule.payload();
    try {
      Jdbc.update(connection, sql.text(insert), values);
    } catch (SQLException e) {
      if (!String.valueOf(e.getSQLState()).startsWith("23")) {
        throw e;
      }
      throw new SQLTransactionRollbackException(
          "somebody else has put in schedule " + schedule.name(), e);
    }
  }

  private static @Nullable Object[] values(StoredSchedule schedule) {
    RowLimits.schedule(schedule);
    MessageKey last = schedule.lastKey();
    return new @Nullable Object[] {
      schedule.owner(),
      schedule.version(),
      schedule.definition(),
      millis(schedule.nextAt()),
      millis(schedule.countsFrom()),
      millis(schedule.lastAt()),
      last == null ? null : last.route(),
      last == null ? null : last.id(),
      schedule.fired(),
      schedule.missed(),
      schedule.skipped(),
      schedule.problem(),
      millis(schedule.pausedAt()),
      millis(schedule.pausedUntil()),
      schedule.note(),
      schedule.orphaned(),
      schedule.changedBy(),
      schedule.createdAt().toEpochMilli(),
      schedule.updatedAt().toEpochMilli(),
      schedule.name()
    };
  }

  private static @Nullable Long millis(@Nullable Instant at) {
    return at == null ? null : Millis.ceiling(at);
  }

  private static StoredSchedule map(ResultSet row) throws SQLException {
    return map(row, row.getString("payload"));
  }

  private static StoredSchedule map(ResultSet row, @Nullable String payload) throws SQLException {
    String lastRoute = row.getString("last_route");
    return new StoredSchedule(
        row.getString("name"),
        row.getString("owner"),
        row.getLong("version"),
        row.getString("definition"),
        payload,
        Jdbc.instantOrNull(row, "next_at"),
        Jdbc.instantOrNull(row, "counts_from"),
        Jdbc.instantOrNull(row, "last_at"),
        lastRoute == null ? null : new MessageKey(lastRoute, row.getString("last_id")),
        row.getLong("fired"),
        row.getLong("missed"),
        row.getLong("skipped"),
        row.getString("problem"),
        Jdbc.instantOrNull(row, "paused_at"),
        Jdbc.instantOrNull(row, "paused_until"),
        row.getString("note"),
        row.getBoolean("orphaned"),
        row.getString("changed_by"),
        Jdbc.instant(row, "created_at"),
        Jdbc.instant(row, "updated_at"));
  }

  List<MessageMark> withIdsFrom(Connection connection, String route, String idPrefix, int limit)
      throws SQLException {
    RowLimits.limit(limit, MAX_SCHEDULES);
    if (!RowLimits.possible(route) || idPrefix.indexOf('\0') >= 0) {
      return List.of();
    }
    String pattern = idPrefix.replaceAll("[!%_]", "!$0") + "%";
    return Jdbc.list(connection, sql.text(IDS_FROM), ScheduleRows::mark, route, pattern, limit);
  }

  private static MessageMark mark(ResultSet row) throws SQLException {
    return new MessageMark(
        MessageRows.key(row),
        MessageState.valueOf(row.getString("state")),
        Jdbc.instant(row, "deliver_at"),
        Jdbc.instant(row, "created_at"),
        Jdbc.instant(row, "updated_at"));
  }
}
