// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.Begun;
import io.pocketwatch.store.Begun.Verdict;
import io.pocketwatch.store.Handling;
import io.pocketwatch.store.MessageKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Handlings: begun, extended, settled, failed, postponed, abandoned. */
final class Settlements {
  private static final String THIS_HANDLING =
      " WHERE route = ? AND id = ? AND consumer = ? AND token = ? AND settled_at IS NULL";

  static final String INSERT =
      "INSERT INTO {settlement} (generation, token, lease_until, begun_at, deliver_at,"
          + " route, id, consumer) VALUES (?, ?, {now} + ?, {now}, ?, ?, ?, ?)";

  private static final String BEGIN_AGAIN =
      "UPDATE {settlement} SET generation = ?, token = ?, lease_until = {now} + ?,"
          + " begun_at = {now}, deliver_at = ? WHERE route = ? AND id = ? AND consumer = ?";

  /** The tests stand before the change: MySQL assigns from left to right. */
  static final String ONE_MORE =
      "finished_at = CASE WHEN settled + 1 >= settlements THEN {now} ELSE finished_at END,"
          + " owner = CASE WHEN settled + 1 >= settlements THEN NULL ELSE owner END,"
          + " state = CASE WHEN settled + 1 >= settlements THEN 'SETTLED' ELSE state END,"
          + " settled = settled + 1, updated_at = {now}";

  private static final String HELD_FOR_A_RETRY =
      "held_until = GREATEST(COALESCE(held_until, 0), ?), epoch = COALESCE(epoch, ?)";

  private final Sql sql;
  private final Bulk bulk;

  Settlements(Sql sql, Bulk bulk) {
    this.sql = sql;
    this.bulk = bulk;
  }

  /** What this consumer did before. */
  private record Earlier(boolean settled, boolean leased, long leaseUntil) {}

  Begun begin(
      Connection connection, MessageKey key, int generation, String consumer, Duration lease)
      throws SQLException {
    RowLimits.consumer(consumer);
    long leaseMillis = RowLimits.millis(lease);
    LockedRow row = LockedRow.of(connection, sql, key).orElse(null);
    if (row == null) {
      return Begun.refused(Verdict.UNKNOWN, null);
    }
    Verdict refusal = refusal(row, generation);
    if (refusal != null) {
      return Begun.refused(refusal, null);
    }
    Earlier earlier = earlier(connection, key, consumer).orElse(null);
    if (earlier != null && earlier.settled) {
      return Begun.refused(Verdict.SETTLED, null);
    }
    if (earlier != null && earlier.leased) {
      return Begun.refused(Verdict.BUSY, Instant.ofEpochMilli(earlier.leaseUntil));
    }
    Handling handling = handling(key, consumer);
    String write = earlier == null ? INSERT : BEGIN_AGAIN;
    if (Jdbc.update(connection, sql.text(write), values(handling, row, leaseMillis)) == 0) {
      throw new SQLException("the earlier handling of " + key + " is gone, without its row's lock");
    }
    return Begun.handle(handling, row.settled());
  }

  /** Why no consumer may begin, or null: what the row alone tells. */
  static @Nullable Verdict refusal(LockedRow row, int generation) {
    if (row.cancelled()) {
      return Verdict.CANCELLED;
    }
    return row.generation() == generation ? null : Verdict.OUTDATED;
  }

  static Handling handling(MessageKey key, String consumer) {
    return new Handling(key, consumer, UUID.randomUUID().toString());
  }

  /** For {@link #INSERT}. */
  static @Nullable Object[] values(Handling handling, LockedRow row, long leaseMillis) {
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

  private Optional<Earlier> earlier(Connection connection, MessageKey key, String consumer)
      throws SQLException {
    return Jdbc.first(
        connection,
        sql.text(
            "SELECT settled_at IS NOT NULL AS settled, lease_until > {now} AS leased, lease_until"
                + " FROM {settlement} WHERE route = ? AND id = ? AND consumer = ?"),
        found ->
            new Earlier(
                found.getBoolean("settled"),
                found.getBoolean("leased"),
                found.getLong("lease_until")),
        key.route(),
        key.id(),
        consumer);
  }

  boolean settle(Connection connection, Handling handling) throws SQLException {
    if (!end(connection, handling, "settled_at = {now}")) {
      return false;
    }
    Jdbc.update(
        connection,
        sql.text("UPDATE {message} SET " + ONE_MORE + " WHERE route = ? AND id = ?"),
        handling.key().route(),
        handling.key().id());
    return true;
  }

  boolean fail(Connection connection, Handling handling, String reason) throws SQLException {
    LockedRow row = endUndone(connection, handling);
    if (row != null && !row.stays()) {
      change(
          connection,
          handling,
          "state = 'FAILED', finished_at = {now}, reason = ?, owner = NULL, lease_until = 0",
          RowLimits.reason(reason));
    }
    return row != null;
  }

  boolean park(Connection connection, Handling handling, String reason) throws SQLException {
    LockedRow row = endUndone(connection, handling);
    if (row != null) {
      change(
          connection,
          handling,
          "state = 'PARKED', finished_at = NULL, reason = ?, owner = NULL, lease_until = 0",
          RowLimits.reason(reason));
    }
    return row != null;
  }

  boolean postpone(
      Connection connection,
      Handling handling,
      Instant until,
      @Nullable String epoch,
      String reason)
      throws SQLException {
    long heldUntil = Millis.ceiling(until);
    String heldIn = epoch == null ? null : RowLimits.epoch(epoch);
    LockedRow row = endUndone(connection, handling);
    if (row != null && row.stays()) {
      change(connection, handling, HELD_FOR_A_RETRY, heldUntil, heldIn);
    } else if (row != null) {
      change(
          connection,
          handling,
          "state = 'HELD', finished_at = NULL, reason = ?, owner = NULL, lease_until = 0, "
              + HELD_FOR_A_RETRY,
          RowLimits.reason(reason),
          heldUntil,
          heldIn);
    }
    return row != null;
  }

  /** Its row stays: it says that the message has arrived. Null if it is not the last any more. */
  private @Nullable LockedRow endUndone(Connection connection, Handling handling)
      throws SQLException {
    LockedRow row = LockedRow.of(connection, sql, handling.key()).orElse(null);
    return row != null && end(connection, handling, row, "lease_until = 0, token = ''")
        ? row
        : null;
  }

  private void change(
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

  boolean extend(Connection connection, Handling handling, Duration lease) throws SQLException {
    LockedRow row =
        LockedRow.unlocked(connection, sql, bulk, List.of(handling.key())).get(handling.key());
    if (row == null) {
      // Somebody ends a handling of it just now, which a renewal must not wait for: it would keep
      // others waiting. Nobody can take it over meanwhile. If it is gone, the settling will tell.
      return true;
    }
    return end(connection, handling, row, "lease_until = {now} + " + RowLimits.millis(lease));
  }

  boolean abandon(Connection connection, Handling handling) throws SQLException {
    // Whoever begins anew has locked the row, looked at this handling, and is about to change it.
    return LockedRow.of(connection, sql, handling.key()).isPresent()
        && Jdbc.update(
                connection, sql.text("DELETE FROM {settlement}" + THIS_HANDLING), of(handling))
            > 0;
  }

  /** Changes a handling that is still the consumer's last, of the message's last generation. */
  private boolean end(Connection connection, Handling handling, String change) throws SQLException {
    LockedRow row = LockedRow.of(connection, sql, handling.key()).orElse(null);
    return row != null && end(connection, handling, row, change);
  }

  private boolean end(Connection connection, Handling handling, LockedRow row, String change)
      throws SQLException {
    if (row.cancelled()) {
      return false;
    }
    String text = "UPDATE {settlement} SET " + change + THIS_HANDLING + " AND generation = ";
    return Jdbc.update(connection, sql.text(text + row.generation()), of(handling)) > 0;
  }

  private static @Nullable Object[] of(Handling handling) {
    return new @Nullable Object[] {
      handling.key().route(), handling.key().id(), handling.consumer(), handling.token()
    };
  }
}
