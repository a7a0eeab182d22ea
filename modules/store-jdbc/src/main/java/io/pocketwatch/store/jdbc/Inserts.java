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
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Insert if absent, and what a present row says about the resend. */
final class Inserts {
  private static final Comparator<ScheduledMessage> BY_KEY =
      Comparator.comparing((ScheduledMessage message) -> message.key().route())
          .thenComparing(message -> message.key().id());

  private static final int MAX_BATCH = 10_000;

  /** Rows may vanish between insert and compare, when a loader forgets them. */
  private static final int ROUNDS = 5;

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
    Set<MessageKey> inserted = new HashSet<>();
    Map<MessageKey, Content> present = new HashMap<>();
    for (int round = 0; round < ROUNDS && !absent.isEmpty(); round++) {
      inserted.addAll(bulk.insertAbsent(connection, ordered(absent.values()), owner, leaseMillis));
      absent.keySet().removeAll(inserted);
      present.putAll(read(connection, List.copyOf(absent.keySet())));
      absent.keySet().removeAll(present.keySet());
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

  /** In the order of the key: two calls with common ids wait for each other, not both ways. */
  private static List<ScheduledMessage> ordered(Collection<ScheduledMessage> messages) {
    return messages.stream().sorted(BY_KEY).toList();
  }

  private Map<MessageKey, Content> read(Connection connection, List<MessageKey> keys)
      throws SQLException {
    Map<MessageKey, Content> contents = new HashMap<>();
    String select =
        sql.text(
            "SELECT route, id, business_key, exchange, routing_key, properties, body,"
                + " first_deliver_at"
                + " FROM {message}");
    for (Content content :
        bulk.select(
            connection,
            Bulk.Planned.ANEW,
            select,
            sql.text("{current-read}"),
            keys,
            Content::map)) {
      contents.put(content.key, content);
    }
    return contents;
  }

  private static List<InsertOutcome> outcomes(
      List<ScheduledMessage> batch, Set<MessageKey> inserted, Map<MessageKey, Content> present) {
    List<InsertOutcome> outcomes = new ArrayList<>(batch.size());
    for (ScheduledMessage message : batch) {
      Content before = present.get(message.key());
      if (before == null) {
        present.put(message.key(), Content.of(message));
        outcomes.add(InsertOutcome.INSERTED);
      } else {
        boolean same = before.same(Content.of(message));
        outcomes.add(same ? InsertOutcome.DUPLICATE : InsertOutcome.CONFLICT);
      }
    }
    return outcomes;
  }

  /** What makes two messages the same. */
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
