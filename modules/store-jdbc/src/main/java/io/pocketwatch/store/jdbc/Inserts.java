// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.internal.rows.RowCodec;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SchedulingStore.InsertOutcome;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Inserts absent rows, and compares present ones with the message sent again. */
final class Inserts {
  private static final Comparator<ScheduledMessage> BY_KEY =
      Comparator.comparing((ScheduledMessage message) -> message.key().route())
          .thenComparing(message -> message.key().id());

  private static final int MAX_BATCH = 10_000;

  /** Rows may vanish between insert and compare, when a loader forgets them. */
  private static final int ROUNDS = 5;

  /** The bytes read at a time for comparison; a single larger row is read, too. */
  private static final long COMPARED_BYTES = 4L << 20;

  private final Sql sql;
  private final Bulk bulk;

  Inserts(Sql sql, Bulk bulk) {
    this.sql = sql;
    this.bulk = bulk;
  }

  List<InsertOutcome> insert(
      Connection connection, List<ScheduledMessage> batch, @Nullable Lease lease)
      throws SQLException {
    RowLimits.batch(batch.size(), MAX_BATCH);
    batch.forEach(RowLimits::message);
    String owner = lease == null ? null : RowLimits.owner(lease.owner());
    long leaseMillis = lease == null ? 0 : RowLimits.millis(lease.length());

    Map<MessageKey, ScheduledMessage> absent = new LinkedHashMap<>();
    batch.forEach(message -> absent.putIfAbsent(message.key(), message));
    Map<MessageKey, ScheduledMessage> inserted = new HashMap<>();
    Present present = new Present(batch);
    for (int round = 0; round < ROUNDS && !absent.isEmpty(); round++) {
      bulk.insertAbsent(connection, ordered(absent.values()), owner, leaseMillis)
          .forEach(key -> inserted.put(key, Objects.requireNonNull(absent.remove(key))));
      compare(connection, List.copyOf(absent.keySet()), present);
      absent.keySet().removeAll(present.same.keySet());
    }
    if (!absent.isEmpty()) {
      throw new SQLException("rows neither go in nor are there: " + absent.keySet());
    }
    return outcomes(batch, inserted, present);
  }

  /** CONCAT as in {@link Claims}: the row is to be found by its key. */
  boolean undo(Connection connection, MessageKey key) throws SQLException {
    String delete =
        "DELETE FROM {message} WHERE route = ? AND id = ? AND CONCAT(state, '') = 'PENDING'";
    return Jdbc.update(connection, sql.text(delete), key.route(), key.id()) > 0;
  }

  /** In the order of keys, so that two calls with common ids cannot deadlock. */
  private static List<ScheduledMessage> ordered(Collection<ScheduledMessage> messages) {
    return messages.stream().sorted(BY_KEY).toList();
  }

  /**
   * Rows that were there before, each with those of the batch that are the same. Their contents are
   * not kept: the rows may be far larger than what was asked for.
   */
  private static final class Present {
    private final Map<MessageKey, List<ScheduledMessage>> asked = new HashMap<>();
    private final Map<MessageKey, Set<ScheduledMessage>> same = new HashMap<>();

    Present(List<ScheduledMessage> batch) {
      batch.forEach(
          message -> asked.computeIfAbsent(message.key(), key -> new ArrayList<>()).add(message));
    }

    /** Whether its content has to be looked at; a body of another length is another one. */
    boolean mayBeSame(Size row) {
      return of(row.key).stream().anyMatch(each -> each.body().length == row.bodyBytes);
    }

    private List<ScheduledMessage> of(MessageKey key) {
      return Objects.requireNonNull(asked.get(key));
    }

    void isOther(Size row) {
      same.put(row.key, Set.of());
    }

    boolean compare(Content row) {
      Set<ScheduledMessage> equal = Collections.newSetFromMap(new IdentityHashMap<>());
      of(row.key).stream().filter(each -> row.same(Content.of(each))).forEach(equal::add);
      return same.put(row.key, equal) == null;
    }
  }

  /** How large a row is. */
  private record Size(MessageKey key, int bodyBytes, long bytes) {
    static Size map(ResultSet row) throws SQLException {
      int body = row.getInt("body_bytes");
      return new Size(MessageRows.key(row), body, body + row.getLong("properties_bytes"));
    }
  }

  private void compare(Connection connection, List<MessageKey> keys, Present present)
      throws SQLException {
    List<MessageKey> some = new ArrayList<>();
    long bytes = 0;
    for (Size row :
        read(
            connection,
            "route, id, OCTET_LENGTH(body) AS body_bytes,"
                + " OCTET_LENGTH(properties) AS properties_bytes",
            keys,
            Size::map)) {
      if (!present.mayBeSame(row)) {
        present.isOther(row);
        continue;
      }
      if (bytes + row.bytes > COMPARED_BYTES) {
        compareContents(connection, some, present);
        some.clear();
        bytes = 0;
      }
      some.add(row.key);
      bytes += row.bytes;
    }
    compareContents(connection, some, present);
  }

  private void compareContents(Connection connection, List<MessageKey> keys, Present present)
      throws SQLException {
    read(
        connection,
        "route, id, business_key, exchange, routing_key, properties, body, first_deliver_at",
        keys,
        row -> present.compare(Content.map(row)));
  }

  private <T> List<T> read(
      Connection connection, String columns, List<MessageKey> keys, Jdbc.RowMapper<T> mapper)
      throws SQLException {
    return bulk.select(
        connection,
        Bulk.Planned.ANEW,
        sql.text("SELECT " + columns + " FROM {message}"),
        sql.text("{current-read}"),
        keys,
        mapper);
  }

  private static List<InsertOutcome> outcomes(
      List<ScheduledMessage> batch, Map<MessageKey, ScheduledMessage> inserted, Present present) {
    List<InsertOutcome> outcomes = new ArrayList<>(batch.size());
    Set<MessageKey> told = new HashSet<>();
    for (ScheduledMessage message : batch) {
      ScheduledMessage first = inserted.get(message.key());
      if (first != null && told.add(message.key())) {
        outcomes.add(InsertOutcome.INSERTED);
        continue;
      }
      boolean same =
          first == null
              ? Objects.requireNonNull(present.same.get(message.key())).contains(message)
              : Content.of(first).same(Content.of(message));
      outcomes.add(same ? InsertOutcome.DUPLICATE : InsertOutcome.CONFLICT);
    }
    return outcomes;
  }

  /** The parts in which two messages must agree to be the same. */
  @SuppressWarnings("ArrayRecordComponent") // compared by same()
  private record Content(
      MessageKey key,
      @Nullable String businessKey,
      String exchange,
      String routingKey,
      byte[] properties,
      byte[] body,
      long at) {
    static Content of(ScheduledMessage message) {
      return new Content(
          message.key(),
          message.businessKey(),
          message.exchange(),
          message.routingKey(),
          message.properties(),
          message.body(),
          Millis.ceiling(message.deliverAt()));
    }

    static Content map(ResultSet row) throws SQLException {
      return new Content(
          MessageRows.key(row),
          row.getString("business_key"),
          row.getString("exchange"),
          row.getString("routing_key"),
          row.getBytes("properties"),
          row.getBytes("body"),
          row.getLong("first_deliver_at"));
    }

    boolean same(Content other) {
      return at == other.at
          && Objects.equals(businessKey, other.businessKey)
          && exchange.equals(other.exchange)
          && routingKey.equals(other.routingKey)
          && Arrays.equals(body, other.body)
          && RowCodec.sameProperties(properties, other.properties);
    }
  }
}
