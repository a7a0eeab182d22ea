// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.LoadingStore.HeldMark;
import io.pocketwatch.store.MessageKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Claims rows, and ends claims; each end is conditional on the claim still being the last one. */
final class Claims {
  private static final int MAX_ROWS = 10_000;

  /**
   * CONCAT hides the state from PostgreSQL's planner. On a table that was never analysed it takes
   * the index of what is pending for the better one. Then it reads all of a route for each row.
   */
  private static final String STILL_CLAIMED =
      " WHERE route = :route AND id = :id AND CONCAT(state, '') = 'PENDING' AND owner = :owner"
          + " AND fence = :fence AND generation = :generation";

  /**
   * Also what a consumer has ended meanwhile whose copy arrived: it speaks for itself, and others
   * wait for theirs. The fence says that nobody has claimed it since.
   */
  private static final String NOT_CLAIMED_SINCE =
      " WHERE route = :route AND id = :id AND fence = :fence AND generation = :generation"
          + " AND (CONCAT(state, '') = 'PENDING' AND owner = :owner"
          + " OR owner IS NULL AND (CONCAT(state, '') IN ('FAILED', 'HELD') AND settlements > 1"
          + " OR CONCAT(state, '') = 'FAILED' AND held_until IS NOT NULL))";

  private static final String CLAIM =
      "route text, id text, owner text, fence bigint, generation integer";

  private static final String PENDING_AGAIN = "state = 'PENDING', owner = NULL, finished_at = NULL";

  private static final Comparator<Claim> EARLIEST_FIRST =
      Comparator.comparing((Claim claim) -> claim.message().deliverAt())
          .thenComparing(claim -> claim.key().id());

  private final Sql sql;
  private final Bulk bulk;

  Claims(Sql sql, Bulk bulk) {
    this.sql = sql;
    this.bulk = bulk;
  }

  /** A copy may be on the broker, and come when the row says. */
  private static final String COPY_POSSIBLE = "GREATEST(COALESCE(held_until, 0), deliver_at)";

  /** Before the owner changes: one whose lease has run out may have published. */
  static final String COPY_OF_LAST_OWNER =
      "held_until = CASE WHEN owner IS NULL THEN held_until ELSE " + COPY_POSSIBLE + " END";

  /** A candidate of a claim: not locked for us, or not by every database. */
  private record Candidate(String rowName, long bytes) {}

  List<Claim> claim(Connection connection, ClaimRequest request) throws SQLException {
    RowLimits.limit(request.maxRows(), MAX_ROWS);
    String owner = RowLimits.owner(request.lease().owner());
    long leaseMillis = RowLimits.millis(request.lease().length());
    List<Candidate> candidates =
        Jdbc.list(
            connection,
            sql.text(
                "{plan-once}SELECT {row} AS row_name, OCTET_LENGTH(body)"
                    + " + OCTET_LENGTH(properties) AS bytes FROM {message}"
                    + " WHERE route = ? AND state = 'PENDING' AND deliver_at <= ?"
                    + " AND lease_until <= {now} ORDER BY deliver_at LIMIT ?{skip-locked}"),
            row -> new Candidate(row.getString("row_name"), row.getLong("bytes")),
            request.route(),
            Millis.floor(request.horizon()),
            request.maxRows());
    List<String> rows = within(candidates, request.maxBytes());
    if (rows.isEmpty()) {
      return List.of();
    }
    return bulk.claim(connection, request.route(), rows, owner, leaseMillis).stream()
        .sorted(EARLIEST_FIRST)
        .toList();
  }

  Optional<Claim> claim(Connection connection, MessageKey key, Instant horizon, Lease lease)
      throws SQLException {
    if (!RowLimits.possible(key)) {
      return Optional.empty();
    }
    List<String> row =
        Jdbc.list(
            connection,
            sql.text(
                "SELECT {row} AS row_name FROM {message} WHERE route = ? AND id = ?"
                    + " AND CONCAT(state, '') = 'PENDING' AND deliver_at <= ?"
                    + " AND lease_until <= {now}{skip-locked}"),
            found -> found.getString("row_name"),
            key.route(),
            key.id(),
            Millis.floor(horizon));
    if (row.isEmpty()) {
      return Optional.empty();
    }
    long leaseMillis = RowLimits.millis(lease.length());
    return bulk
        .claim(connection, key.route(), row, RowLimits.owner(lease.owner()), leaseMillis)
        .stream()
        .findFirst();
  }

  private static List<String> within(List<Candidate> candidates, long maxBytes) {
    List<String> rows = new ArrayList<>();
    long bytes = 0;
    for (Candidate candidate : candidates) {
      bytes += candidate.bytes;
      if (bytes > maxBytes && !rows.isEmpty()) {
        break;
      }
      rows.add(candidate.rowName);
    }
    return rows;
  }

  /** Steps from route to route through the index instead of reading all that is pending. */
  List<String> routesDue(Connection connection, Instant horizon) throws SQLException {
    String due =
        sql.text(
            "SELECT route FROM {message} WHERE state = 'PENDING' AND route = ?"
                + " AND deliver_at <= ? AND lease_until <= {now} ORDER BY deliver_at LIMIT 1");
    List<String> routes = new ArrayList<>();
    long at = Millis.floor(horizon);
    for (String route : Queries.pendingRoutes(connection, sql)) {
      routes.addAll(Jdbc.list(connection, due, row -> row.getString(1), route, at));
    }
    return routes;
  }

  List<Boolean> markHeld(Connection connection, List<HeldMark> marks) throws SQLException {
    RowChange change =
        sql.change(
            "UPDATE {message} SET state = 'HELD',"
                + " held_until = GREATEST(COALESCE(held_until, 0), :held_until), epoch = :epoch,"
                + " reason = NULL, owner = NULL, lease_until = 0, updated_at = {now}{from}"
                + STILL_CLAIMED,
            CLAIM + ", held_until bigint, epoch text");
    List<@Nullable Object[]> values = new ArrayList<>();
    for (HeldMark mark : marks) {
      String epoch = mark.epoch() == null ? null : RowLimits.epoch(mark.epoch());
      values.add(values(mark.claim(), Millis.ceiling(mark.heldUntil()), epoch));
    }
    return run(connection, change, values);
  }

  List<Boolean> forget(Connection connection, List<Claim> claims) throws SQLException {
    RowChange change = sql.change("DELETE FROM {message}{using}" + STILL_CLAIMED, CLAIM);
    return run(connection, change, claims.stream().map(claim -> values(claim)).toList());
  }

  int giveBack(Connection connection, Collection<Claim> claims) throws SQLException {
    return count(connection, PENDING_AGAIN + ", lease_until = 0", NOT_CLAIMED_SINCE, claims);
  }

  int mayBeHeld(Connection connection, Collection<Claim> claims) throws SQLException {
    return count(connection, "held_until = " + COPY_POSSIBLE, STILL_CLAIMED, claims);
  }

  private int count(Connection connection, String set, String condition, Collection<Claim> claims)
      throws SQLException {
    RowChange change =
        sql.change("UPDATE {message} SET " + set + ", updated_at = {now}{from}" + condition, CLAIM);
    List<Boolean> applied =
        run(connection, change, claims.stream().map(claim -> values(claim)).toList());
    return (int) applied.stream().filter(Boolean::booleanValue).count();
  }

  boolean postpone(Connection connection, Claim claim, Duration pause, String reason)
      throws SQLException {
    RowChange change =
        sql.change(
            "UPDATE {message} SET attempts = attempts + 1, reason = :reason, "
                + PENDING_AGAIN
                + ", lease_until = {now} + :pause, updated_at = {now}{from}"
                + NOT_CLAIMED_SINCE,
            CLAIM + ", reason text, pause bigint");
    @Nullable Object[] values = values(claim, RowLimits.reason(reason), RowLimits.millis(pause));
    return run(connection, change, List.<@Nullable Object[]>of(values)).get(0);
  }

  boolean park(Connection connection, Claim claim, String reason) throws SQLException {
    RowChange change =
        sql.change(
            "UPDATE {message} SET state = 'PARKED', reason = :reason, owner = NULL,"
                + " lease_until = 0, updated_at = {now}{from}"
                + STILL_CLAIMED,
            CLAIM + ", reason text");
    @Nullable Object[] values = values(claim, RowLimits.reason(reason));
    return run(connection, change, List.<@Nullable Object[]>of(values)).get(0);
  }

  private List<Boolean> run(
      Connection connection, RowChange change, List<@Nullable Object[]> values)
      throws SQLException {
    RowLimits.batch(values.size(), MAX_ROWS);
    List<Boolean> applied = new ArrayList<>(values.size());
    for (boolean each : bulk.change(connection, Bulk.Planned.ANEW, change, values)) {
      applied.add(each);
    }
    return applied;
  }

  private static @Nullable Object[] values(Claim claim, @Nullable Object... more) {
    List<@Nullable Object> values = new ArrayList<>();
    values.add(claim.key().route());
    values.add(claim.key().id());
    values.add(claim.owner());
    values.add(claim.fence());
    values.add(claim.message().generation());
    values.addAll(java.util.Arrays.asList(more));
    return values.toArray();
  }
}
