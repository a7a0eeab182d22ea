// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.jdbc.Bulk.Planned;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Locks and reads messages' rows with what their consumers do, and writes what has changed. */
final class LockedRows {
  private static final String ROWS = "SELECT " + LockedRow.COLUMNS + " FROM {message}";

  /** Of a consumer's handling, in both tables. */
  private static final String HANDLING =
      "route text, id text, consumer text, token text, handling_generation integer,"
          + " handling_until bigint, begun_at bigint, settled_at bigint, postponed integer,"
          + " retries integer, again_queue text";

  private static final String FIRST_HANDLING = HANDLING + ", row_name text";

  private static final String MESSAGE =
      FIRST_HANDLING
          + ", state text, next_at bigint, next_queue text, owner text, lease_until bigint,"
          + " attempts integer, held_until bigint, reason text, settled integer,"
          + " finished_at bigint, updated_at bigint";

  private final Sql sql;
  private final Bulk bulk;
  private final RowChange handling;
  private final RowChange handlingUnsynced;
  private final RowChange message;
  private final RowChange further;

  LockedRows(Sql sql, Bulk bulk) {
    this.sql = sql;
    this.bulk = bulk;
    Set<String> ofMessage = Set.of("route", "id", "row_name");
    this.handling = change("UPDATE {message}", FIRST_HANDLING, "{is-row}", ofMessage);
    this.handlingUnsynced =
        change("{commit-unsynced}UPDATE {message}", FIRST_HANDLING, "{is-row}", ofMessage);
    this.message = change("UPDATE {message}", MESSAGE, "{is-row}", ofMessage);
    this.further =
        change(
            "UPDATE {settlement}",
            HANDLING,
            "route = :route AND id = :id AND consumer = :consumer",
            Set.of("route", "id", "consumer"));
  }

  private RowChange change(String update, String columns, String isRow, Set<String> name) {
    String set =
        Stream.of(columns.split(" \\w+(, )?"))
            .filter(column -> !name.contains(column))
            .map(column -> column + " = :" + column)
            .collect(Collectors.joining(", "));
    return sql.change(update + " SET " + set + "{from} WHERE " + isRow, columns);
  }

  /** Waits for whoever else has locked it, and then sees what he has done. */
  Optional<LockedRow> waitFor(Connection connection, MessageKey key) throws SQLException {
    if (!RowLimits.possible(key)) {
      return Optional.empty();
    }
    String lock = "SELECT id FROM {message} WHERE route = ? AND id = ? FOR UPDATE";
    Jdbc.list(connection, sql.text(lock), row -> row.getString(1), key.route(), key.id());
    String current = sql.text("{current-read}");
    Map<MessageKey, LockedRow> row = read(connection, Planned.ANEW, List.of(key), current);
    addFurther(
        connection, Planned.ANEW, row, current, row.values().stream().filter(LockedRow::begun));
    return Optional.ofNullable(row.get(key));
  }

  /** Of these rows all that nobody else has locked, with all that their consumers do. */
  Map<MessageKey, LockedRow> unlocked(Connection connection, List<MessageKey> keys)
      throws SQLException {
    return unlocked(connection, keys, "");
  }

  /**
   * @param which only those, as the end of a condition
   */
  Map<MessageKey, LockedRow> unlocked(Connection connection, List<MessageKey> keys, String which)
      throws SQLException {
    Map<MessageKey, LockedRow> rows =
        read(connection, Planned.ONCE, keys, which + sql.text("{key-skip-locked}"));
    addFurther(connection, Planned.ONCE, rows, "", rows.values().stream().filter(LockedRow::begun));
    return rows;
  }

  /** The handlings' rows that nobody else has locked; the others, and absent ones, are left out. */
  Map<MessageKey, LockedRow> unlocked(Connection connection, Stream<Handling> handlings)
      throws SQLException {
    return of(connection, handlings, sql.text("{key-skip-locked}"));
  }

  /**
   * Those of the keys whose rows are there and not ours.
   *
   * @param which as for those that are
   */
  Set<MessageKey> lockedByOthers(
      Connection connection, Map<MessageKey, LockedRow> ours, List<MessageKey> keys, String which)
      throws SQLException {
    List<MessageKey> missing =
        keys.stream()
            .filter(key -> RowLimits.possible(key) && !ours.containsKey(key))
            .distinct()
            .toList();
    String select = sql.text("SELECT route, id FROM {message}");
    return new HashSet<>(
        bulk.select(connection, Planned.ONCE, select, which, missing, MessageRows::key));
  }

  /** To look at only. */
  Map<MessageKey, LockedRow> seen(Connection connection, Stream<Handling> handlings)
      throws SQLException {
    return of(connection, handlings, "");
  }

  private Map<MessageKey, LockedRow> of(
      Connection connection, Stream<Handling> handlings, String suffix) throws SQLException {
    List<Handling> possible = handlings.filter(one -> RowLimits.possible(one.key())).toList();
    List<MessageKey> keys = possible.stream().map(Handling::key).distinct().toList();
    Map<MessageKey, LockedRow> rows = read(connection, Planned.ONCE, keys, suffix);
    Stream<LockedRow> others =
        possible.stream()
            .filter(one -> rows.containsKey(one.key()))
            .filter(
                one -> Objects.requireNonNull(rows.get(one.key())).mayHaveFurther(one.consumer()))
            .map(one -> rows.get(one.key()));
    addFurther(connection, Planned.ONCE, rows, "", others);
    return rows;
  }

  private Map<MessageKey, LockedRow> read(
      Connection connection, Planned planned, List<MessageKey> keys, String suffix)
      throws SQLException {
    Map<MessageKey, LockedRow> rows = new HashMap<>();
    bulk.select(connection, planned, sql.text(ROWS), suffix, keys, LockedRow::of)
        .forEach(row -> rows.put(row.key(), row));
    return rows;
  }

  private void addFurther(
      Connection connection,
      Planned planned,
      Map<MessageKey, LockedRow> rows,
      String suffix,
      Stream<LockedRow> those)
      throws SQLException {
    List<MessageKey> keys = those.map(LockedRow::key).distinct().toList();
    bulk.select(
        connection,
        planned,
        sql.text("SELECT * FROM {settlement}"),
        suffix,
        keys,
        row -> {
          ConsumerState one = ConsumerState.of(row);
          Objects.requireNonNull(rows.get(MessageRows.key(row))).addFurther(one);
          return one;
        });
  }

  /**
   * After handlings of unlocked rows were begun or renewed. On PostgreSQL this touches no index,
   * unless a row is to be sent again. A begin that a crash of the database forgets is begun again:
   * that is cheaper than to wait. What a copy is dropped for must not be forgotten.
   */
  void writeHandlings(Connection connection, Collection<LockedRow> rows) throws SQLException {
    List<@Nullable Object[]> kept = values(rows, LockedRow::rowChanged);
    write(connection, Planned.ONCE, message, kept);
    write(
        connection,
        Planned.ONCE,
        kept.isEmpty() ? handlingUnsynced : handling,
        values(rows, row -> row.firstChanged() && !row.rowChanged()));
    writeFurther(connection, rows);
  }

  /** After handlings were ended. */
  void write(Connection connection, Planned planned, Collection<LockedRow> rows)
      throws SQLException {
    write(connection, planned, message, values(rows, LockedRow::changed));
    writeFurther(connection, rows);
  }

  private void write(
      Connection connection, Planned planned, RowChange change, List<@Nullable Object[]> values)
      throws SQLException {
    for (boolean written : bulk.change(connection, planned, change, values)) {
      if (!written) {
        throw new SQLException("a locked row is not there to be written");
      }
    }
  }

  private static List<@Nullable Object[]> values(
      Collection<LockedRow> rows, Predicate<LockedRow> which) {
    return rows.stream().filter(which).map(LockedRow::values).toList();
  }

  private void writeFurther(Connection connection, Collection<LockedRow> rows) throws SQLException {
    write(connection, Planned.ANEW, further, further(rows, true));
    List<@Nullable Object[]> inserts = further(rows, false);
    if (inserts.isEmpty()) {
      return;
    }
    String insert =
        "INSERT INTO {settlement} (route, id, consumer, token, handling_generation,"
            + " handling_until, begun_at, settled_at, postponed, retries, again_queue)"
            + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    try (PreparedStatement statement = connection.prepareStatement(sql.text(insert))) {
      for (@Nullable Object[] row : inserts) {
        Jdbc.bind(statement, row);
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }

  private static List<@Nullable Object[]> further(Collection<LockedRow> rows, boolean haveRow) {
    return rows.stream().flatMap(row -> row.furtherValues(haveRow)).toList();
  }
}
