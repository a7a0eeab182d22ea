// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.Beginning;
import io.pocketwatch.store.Begun;
import io.pocketwatch.store.Begun.Verdict;
import io.pocketwatch.store.Ended;
import io.pocketwatch.store.Ending;
import io.pocketwatch.store.Handling;
import io.pocketwatch.store.MessageKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Handlings: begun, renewed, ended, many in one transaction. Their messages' rows are locked first.
 * A row that somebody else has locked is left out, so that nobody waits for a message that is not
 * his; a database that cannot leave it out waits.
 */
final class Handlings {
  private static final String INSERT =
      "INSERT INTO {settlement} (generation, token, lease_until, begun_at, deliver_at,"
          + " route, id, consumer) VALUES (?, ?, {now} + ?, {now}, ?, ?, ?, ?)";

  private static final String BEGIN_AGAIN =
      "UPDATE {settlement} SET generation = ?, token = ?, lease_until = {now} + ?,"
          + " begun_at = {now}, deliver_at = ? WHERE route = ? AND id = ? AND consumer = ?";

  private static final String THIS_HANDLING =
      " WHERE route = :route AND id = :id AND consumer = :consumer AND token = :token"
          + " AND settled_at IS NULL AND generation = :generation";

  /** The tests stand before the change: MySQL assigns from left to right. */
  private static final String ONE_MORE =
      "finished_at = CASE WHEN settled + 1 >= settlements THEN {now} ELSE finished_at END,"
          + " owner = CASE WHEN settled + 1 >= settlements THEN NULL ELSE owner END,"
          + " state = CASE WHEN settled + 1 >= settlements THEN 'SETTLED' ELSE state END,"
          + " settled = settled + 1, updated_at = {now}";

  private static final String HELD_FOR_A_RETRY =
      "held_until = GREATEST(COALESCE(held_until, 0), ?), epoch = COALESCE(epoch, ?)";

  /** In one order everywhere, or two could wait for each other. */
  private static final Comparator<MessageKey> BY_NAME =
      Comparator.comparing(MessageKey::route).thenComparing(MessageKey::id);

  private final Sql sql;
  private final Bulk bulk;
  private final RowChange settle;
  private final RowChange finish;
  private final RowChange release;
  private final RowChange stop;

  Handlings(Sql sql, Bulk bulk) {
    this.sql = sql;
    this.bulk = bulk;
    this.settle = ofHandling("UPDATE {settlement} SET settled_at = {now}{from}" + THIS_HANDLING);
    // Its row stays: it says that the message has arrived.
    this.stop =
        ofHandling("UPDATE {settlement} SET lease_until = 0, token = ''{from}" + THIS_HANDLING);
    this.release = ofHandling("DELETE FROM {settlement}{using}" + THIS_HANDLING);
    this.finish =
        sql.change(
            "UPDATE {message} SET " + ONE_MORE + "{from} WHERE route = :route AND id = :id",
            "route text",
            "id text");
  }

  private RowChange ofHandling(String text) {
    return sql.change(
        text, "route text", "id text", "consumer text", "token text", "generation integer");
  }

  /** What a consumer did before. */
  private record Earlier(String token, boolean settled, boolean leased, long leaseUntil) {
    static Earlier of(ResultSet row) throws SQLException {
      return new Earlier(
          row.getString("token"),
          row.getBoolean("settled"),
          row.getBoolean("leased"),
          row.getLong("lease_until"));
    }
  }

  private record Who(MessageKey key, String consumer) {
    static Who of(Handling handling) {
      return new Who(handling.key(), handling.consumer());
    }
  }

  List<Begun> begin(Connection connection, List<Beginning> copies, Duration lease)
      throws SQLException {
    long leaseMillis = RowLimits.millis(lease);
    copies.forEach(one -> RowLimits.consumer(one.handling().consumer()));
    Rows rows = lock(connection, copies.stream().map(one -> one.handling().key()).toList());
    Map<Who, Earlier> earlier = earlier(connection, List.copyOf(rows.locked.keySet()));
    List<@Nullable Object[]> first = new ArrayList<>();
    List<@Nullable Object[]> again = new ArrayList<>();
    List<Begun> answers = new ArrayList<>();
    for (Beginning one : copies) {
      Handling handling = one.handling();
      LockedRow row = rows.locked.get(handling.key());
      Earlier before = earlier.get(Who.of(handling));
      Begun answer =
          row == null
              ? Begun.of(rows.others.contains(handling.key()) ? Verdict.LOCKED : Verdict.UNKNOWN)
              : answer(row, one, before);
      answers.add(answer);
      if (row != null && answer.verdict() == Verdict.HANDLE) {
        (before == null ? first : again).add(values(handling, row, leaseMillis));
      }
    }
    write(connection, INSERT, first);
    write(connection, BEGIN_AGAIN, again);
    return answers;
  }

  private static Begun answer(LockedRow row, Beginning copy, @Nullable Earlier before) {
    if (row.cancelled()) {
      return Begun.of(Verdict.CANCELLED);
    }
    if (row.generation() != copy.generation()) {
      return Begun.of(Verdict.OUTDATED);
    }
    if (before != null && before.settled) {
      return Begun.of(Verdict.SETTLED);
    }
    // One with the asker's own token was begun by a call whose answer was lost.
    if (before != null && before.leased && !before.token.equals(copy.handling().token())) {
      return Begun.busy(Instant.ofEpochMilli(before.leaseUntil));
    }
    return Begun.handle(row.settled());
  }

  private static @Nullable Object[] values(Handling handling, LockedRow row, long leaseMillis) {
    return new @Nullable Object[] {
      row.generation(),
      handling.token(),
      leaseMillis,
      row.deliverAt(),
      handling.key().route(),
      handling.key().id(),
      handling.consumer()
    };
  }

  private void write(Connection connection, String text, List<@Nullable Object[]> rows)
      throws SQLException {
    if (rows.isEmpty()) {
      return;
    }
    try (PreparedStatement statement = connection.prepareStatement(sql.text(text))) {
      for (@Nullable Object[] row : rows) {
        Jdbc.bind(statement, row);
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }

  List<Ended> end(Connection connection, List<Ending> endings) throws SQLException {
    Rows rows = lock(connection, endings.stream().map(one -> one.handling().key()).toList());
    Map<Handling, Ended> ended = new HashMap<>();
    List<Handling> done = new ArrayList<>();
    for (Ending one : endings) {
      Handling handling = one.handling();
      LockedRow row = rows.locked.get(handling.key());
      if (row == null) {
        boolean others = rows.others.contains(handling.key());
        ended.put(handling, others ? Ended.LOCKED : Ended.OVERTAKEN);
      } else if (row.cancelled()) {
        ended.put(handling, Ended.OVERTAKEN);
      } else if (one.kind() == Ending.Kind.SETTLE) {
        done.add(handling);
      } else {
        boolean applied = undone(connection, one, row);
        ended.put(handling, applied ? Ended.APPLIED : Ended.OVERTAKEN);
      }
    }
    settle(connection, done, rows.locked).forEach(one -> ended.put(one, Ended.APPLIED));
    List<Handling> others = done.stream().filter(one -> !ended.containsKey(one)).toList();
    settledBefore(connection, others).forEach(one -> ended.put(one, Ended.APPLIED));
    return endings.stream()
        .map(one -> ended.getOrDefault(one.handling(), Ended.OVERTAKEN))
        .toList();
  }

  /**
   * In a transaction of the user's: waits for the row. Settled before is not settled by it, also
   * under the same token: its effect would happen twice.
   */
  boolean settle(Connection connection, Handling handling) throws SQLException {
    LockedRow row = LockedRow.of(connection, sql, handling.key()).orElse(null);
    if (row == null || row.cancelled()) {
      return false;
    }
    return settle(connection, List.of(handling), Map.of(handling.key(), row)).contains(handling);
  }

  /** Returns those that were not settled before. */
  private Set<Handling> settle(
      Connection connection, List<Handling> all, Map<MessageKey, LockedRow> rows)
      throws SQLException {
    Set<Handling> settled = change(connection, settle, all, rows);
    List<@Nullable Object[]> finished = new ArrayList<>();
    for (Handling one : settled) {
      finished.add(new @Nullable Object[] {one.key().route(), one.key().id()});
    }
    if (!finished.isEmpty()) {
      bulk.change(connection, finish, finished);
    }
    return settled;
  }

  /** Of handlings that could not be settled, those that were by a call whose answer was lost. */
  private Set<Handling> settledBefore(Connection connection, List<Handling> handlings)
      throws SQLException {
    Map<Who, Earlier> earlier = earlier(connection, handlings.stream().map(Handling::key).toList());
    Set<Handling> before = new HashSet<>();
    for (Handling one : handlings) {
      Earlier was = earlier.get(Who.of(one));
      if (was != null && was.settled && was.token.equals(one.token())) {
        before.add(one);
      }
    }
    return before;
  }

  private boolean undone(Connection connection, Ending ending, LockedRow row) throws SQLException {
    Handling handling = ending.handling();
    RowChange change = ending.kind() == Ending.Kind.RELEASE ? release : stop;
    if (change(connection, change, List.of(handling), Map.of(handling.key(), row)).isEmpty()) {
      return false;
    }
    String reason = ending.reason() == null ? null : RowLimits.reason(ending.reason());
    switch (ending.kind()) {
      case RELEASE -> {
        if (reason != null) {
          message(connection, handling, "reason = ?", reason);
        }
      }
      case FAIL -> {
        if (!row.stays()) {
          String set = "state = 'FAILED', finished_at = {now}, reason = ?, owner = NULL";
          message(connection, handling, set + ", lease_until = 0", reason);
        }
      }
      case PARK -> {
        String set = "state = 'PARKED', finished_at = NULL, reason = ?, owner = NULL";
        message(connection, handling, set + ", lease_until = 0", reason);
      }
      case POSTPONE -> postpone(connection, ending, row, reason);
      case SETTLE -> throw new IllegalArgumentException("settling is something else");
    }
    return true;
  }

  private void postpone(
      Connection connection, Ending ending, LockedRow row, @Nullable String reason)
      throws SQLException {
    Instant until = ending.until();
    if (until == null) {
      throw new IllegalArgumentException("a handling is postponed until an instant");
    }
    long heldUntil = Millis.ceiling(until);
    String heldIn = ending.epoch() == null ? null : RowLimits.epoch(ending.epoch());
    if (row.stays()) {
      message(connection, ending.handling(), HELD_FOR_A_RETRY, heldUntil, heldIn);
    } else {
      String set =
          "state = 'HELD', finished_at = NULL, reason = ?, owner = NULL, lease_until = 0, ";
      message(connection, ending.handling(), set + HELD_FOR_A_RETRY, reason, heldUntil, heldIn);
    }
  }

  private void message(
      Connection connection, Handling handling, String set, @Nullable Object... values)
      throws SQLException {
    List<@Nullable Object> parameters = new ArrayList<>(Arrays.asList(values));
    parameters.add(handling.key().route());
    parameters.add(handling.key().id());
    Jdbc.update(
        connection,
        sql.text("UPDATE {message} SET " + set + ", updated_at = {now} WHERE route = ? AND id = ?"),
        parameters.toArray());
  }

  /**
   * True also for a locked row: somebody ends a handling of it just now, which a renewal must not
   * wait for. Nobody can take it over meanwhile. If it is gone, the settling will tell.
   */
  List<Boolean> extend(Connection connection, List<Handling> handlings, Duration lease)
      throws SQLException {
    Map<MessageKey, LockedRow> rows =
        LockedRow.unlocked(
            connection, sql, bulk, handlings.stream().map(Handling::key).distinct().toList());
    List<Handling> open =
        handlings.stream()
            .filter(one -> rows.containsKey(one.key()) && !rows.get(one.key()).cancelled())
            .toList();
    RowChange extend =
        ofHandling(
            "UPDATE {settlement} SET lease_until = {now} + "
                + RowLimits.millis(lease)
                + "{from}"
                + THIS_HANDLING);
    Set<Handling> extended = change(connection, extend, open, rows);
    return handlings.stream()
        .map(one -> !rows.containsKey(one.key()) || extended.contains(one))
        .toList();
  }

  /**
   * Changes handlings that are still the consumer's last, of the message's last generation.
   *
   * @param rows of all their messages
   * @return those that were
   */
  private Set<Handling> change(
      Connection connection,
      RowChange change,
      List<Handling> handlings,
      Map<MessageKey, LockedRow> rows)
      throws SQLException {
    if (handlings.isEmpty()) {
      return Set.of();
    }
    List<@Nullable Object[]> values = new ArrayList<>();
    for (Handling one : handlings) {
      values.add(
          new @Nullable Object[] {
            one.key().route(),
            one.key().id(),
            one.consumer(),
            one.token(),
            Objects.requireNonNull(rows.get(one.key())).generation()
          });
    }
    boolean[] changed = bulk.change(connection, change, values);
    Set<Handling> those = new LinkedHashSet<>();
    for (int i = 0; i < changed.length; i++) {
      if (changed[i]) {
        those.add(handlings.get(i));
      }
    }
    return those;
  }

  private Map<Who, Earlier> earlier(Connection connection, List<MessageKey> keys)
      throws SQLException {
    Map<Who, Earlier> found = new HashMap<>();
    bulk.select(
        connection,
        sql.text(
            "SELECT route, id, consumer, token, settled_at IS NOT NULL AS settled,"
                + " lease_until > {now} AS leased, lease_until FROM {settlement}"),
        "",
        keys,
        row ->
            found.put(new Who(MessageRows.key(row), row.getString("consumer")), Earlier.of(row)));
    return found;
  }

  /**
   * The rows of some messages.
   *
   * @param locked by us, until the transaction ends
   * @param others locked by others
   */
  private record Rows(Map<MessageKey, LockedRow> locked, Set<MessageKey> others) {}

  private Rows lock(Connection connection, List<MessageKey> keys) throws SQLException {
    List<MessageKey> possible = keys.stream().filter(RowLimits::possible).distinct().toList();
    Map<MessageKey, LockedRow> locked = new HashMap<>();
    if (sql.dialect().skipLocked().isEmpty()) {
      for (MessageKey key : possible.stream().sorted(BY_NAME).toList()) {
        LockedRow.of(connection, sql, key).ifPresent(row -> locked.put(key, row));
      }
      return new Rows(locked, Set.of());
    }
    locked.putAll(LockedRow.unlocked(connection, sql, bulk, possible));
    List<MessageKey> missing = possible.stream().filter(key -> !locked.containsKey(key)).toList();
    Set<MessageKey> others =
        new HashSet<>(
            bulk.select(
                connection,
                sql.text("SELECT route, id FROM {message}"),
                "",
                missing,
                MessageRows::key));
    return new Rows(locked, others);
  }
}
