// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.Begun;
import io.pocketwatch.store.Begun.Verdict;
import io.pocketwatch.store.Handling;
import io.pocketwatch.store.MessageKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Begins and settles many handlings in one transaction. A row that somebody else has locked is left
 * out, so that nobody waits for a message that is not his; so is whatever is not the usual case.
 * What is left out is answered null, and is to be asked alone: {@link Settlements}.
 */
final class SharedHandlings {
  private final Sql sql;
  private final Bulk bulk;
  private final RowChange settle;
  private final RowChange finish;

  SharedHandlings(Sql sql, Bulk bulk) {
    this.sql = sql;
    this.bulk = bulk;
    this.settle =
        sql.change(
            "UPDATE {settlement} SET settled_at = {now}{from} WHERE route = :route AND id = :id"
                + " AND consumer = :consumer AND token = :token AND settled_at IS NULL"
                + " AND generation = :generation",
            "route text",
            "id text",
            "consumer text",
            "token text",
            "generation integer");
    this.finish =
        sql.change(
            "UPDATE {message} SET "
                + Settlements.ONE_MORE
                + "{from} WHERE route = :route AND id = :id",
            "route text",
            "id text");
  }

  /** A begin that is asked for. */
  record Beginning(MessageKey key, int generation, String consumer, long leaseMillis) {}

  List<@Nullable Begun> begin(Connection connection, List<Beginning> all) throws SQLException {
    Map<MessageKey, Beginning> asked = firstOfEach(all, Beginning::key);
    List<MessageKey> keys = List.copyOf(asked.keySet());
    Map<MessageKey, LockedRow> rows = LockedRow.unlocked(connection, sql, bulk, keys);
    List<MessageKey> touched = touched(connection, keys);
    List<@Nullable Begun> answers = new ArrayList<>();
    List<@Nullable Object[]> inserts = new ArrayList<>();
    for (Beginning one : all) {
      LockedRow row = rows.get(one.key());
      if (row == null || asked.get(one.key()) != one || touched.contains(one.key())) {
        answers.add(null);
        continue;
      }
      Verdict refusal = Settlements.refusal(row, one.generation());
      if (refusal != null) {
        answers.add(Begun.refused(refusal, null));
        continue;
      }
      Handling handling = Settlements.handling(one.key(), one.consumer());
      inserts.add(Settlements.values(handling, row, one.leaseMillis()));
      answers.add(Begun.handle(handling, row.settled()));
    }
    insert(connection, inserts);
    return answers;
  }

  /** Messages that any consumer has begun before: then there is more to look at. */
  private List<MessageKey> touched(Connection connection, List<MessageKey> keys)
      throws SQLException {
    return bulk.select(
        connection, sql.text("SELECT route, id FROM {settlement}"), "", keys, MessageRows::key);
  }

  private void insert(Connection connection, List<@Nullable Object[]> rows) throws SQLException {
    if (rows.isEmpty()) {
      return;
    }
    try (PreparedStatement statement = connection.prepareStatement(sql.text(Settlements.INSERT))) {
      for (@Nullable Object[] row : rows) {
        Jdbc.bind(statement, row);
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }

  List<@Nullable Boolean> settle(Connection connection, List<Handling> all) throws SQLException {
    Map<MessageKey, Handling> asked = firstOfEach(all, Handling::key);
    Map<MessageKey, LockedRow> rows =
        LockedRow.unlocked(connection, sql, bulk, List.copyOf(asked.keySet()));
    List<Handling> open = new ArrayList<>();
    List<@Nullable Object[]> values = new ArrayList<>();
    asked.forEach(
        (key, one) -> {
          LockedRow row = rows.get(key);
          if (row != null && !row.cancelled()) {
            open.add(one);
            values.add(values(one, row));
          }
        });
    Map<Handling, Boolean> settled = new HashMap<>();
    if (!open.isEmpty()) {
      boolean[] changed = bulk.change(connection, settle, values);
      for (int i = 0; i < changed.length; i++) {
        settled.put(open.get(i), changed[i]);
      }
      finish(connection, open.stream().filter(settled::get).toList());
    }
    List<@Nullable Boolean> answers = new ArrayList<>();
    for (Handling one : all) {
      boolean left = asked.get(one.key()) != one || !rows.containsKey(one.key());
      answers.add(left ? null : settled.getOrDefault(one, false));
    }
    return answers;
  }

  private void finish(Connection connection, List<Handling> settled) throws SQLException {
    if (!settled.isEmpty()) {
      bulk.change(
          connection,
          finish,
          settled.stream()
              .map(one -> new @Nullable Object[] {one.key().route(), one.key().id()})
              .toList());
    }
  }

  private static @Nullable Object[] values(Handling handling, LockedRow row) {
    return new @Nullable Object[] {
      handling.key().route(),
      handling.key().id(),
      handling.consumer(),
      handling.token(),
      row.generation()
    };
  }

  /** Two of one message must see each other's change. */
  private static <T> Map<MessageKey, T> firstOfEach(List<T> all, Function<T, MessageKey> key) {
    return all.stream().collect(Collectors.toMap(key, one -> one, (first, second) -> first));
  }
}
