// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.internal.rows.StoreRule;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.Conclusion.Kind;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore.Ended;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
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
          + " OR CONCAT(state, '') = 'PENDING' AND next_queue IS NOT NULL AND settlements > 1"
          + " OR CONCAT(state, '') = 'FAILED' AND held_until IS NOT NULL))";

  private static final String CLAIM =
      "route text, id text, owner text, fence bigint, generation integer";

  /** No broker holds what goes to one queue only, so it is claimed when it is near due. */
  private static final String NEAR =
      " AND (next_queue IS NULL OR next_at <= {now} + %s)".formatted(StoreRule.NEAR_DUE.toMillis());

  /** A copy may be on the broker, and come when the row says. */
  private static final String COPY_POSSIBLE = "GREATEST(COALESCE(held_until, 0), deliver_at)";

  /** Before the owner changes: one whose lease has run out may have published. */
  static final String COPY_OF_LAST_OWNER =
      "held_until = CASE WHEN owner IS NULL THEN held_until ELSE " + COPY_POSSIBLE + " END";

  private static final String SENT = "held_until = " + COPY_POSSIBLE + ", ";

  /** To all, if a consumer that got its copy has ended meanwhile. */
  private static final String AGAIN =
      "next_queue = CASE WHEN owner IS NULL THEN NULL ELSE next_queue END, next_at = CASE WHEN"
          + " owner IS NULL THEN {now} ELSE next_at END, state = 'PENDING', owner = NULL,"
          + " finished_at = NULL, lease_until = 0";

  private static final String LATER =
      "attempts = attempts + 1, reason = :reason, next_queue = CASE WHEN owner IS NULL THEN NULL"
          + " ELSE next_queue END, next_at = {now} + :pause, state = 'PENDING', owner = NULL,"
          + " finished_at = NULL, lease_until = 0";

  private static final String PARKED =
      "state = 'PARKED', reason = :reason, owner = NULL, lease_until = 0";

  private static final String REASON = ", reason text";

  private static final String ROUTES_STEPPED =
      "WITH RECURSIVE step (route, first_at) AS (" + Queries.stepsThrough("next_at") + ") ";

  /** Of that route, by that clock. */
  private static final String DUE =
      "SELECT 1 FROM {message} WHERE state = 'PENDING' AND route = %1$s AND next_at <= ?"
          + NEAR.replace("{now}", "%2$s")
          + " AND lease_until <= %2$s ORDER BY next_at LIMIT 1";

  /** Most of what was sent when due is settled when that is written down: it is not locked. */
  private static final String STILL_PENDING = " AND CONCAT(state, '') = 'PENDING'";

  private static final Comparator<Claim> EARLIEST_FIRST =
      Comparator.comparing((Claim claim) -> claim.message().nextAt())
          .thenComparing(claim -> claim.key().id());

  private final Sql sql;
  private final Bulk bulk;
  private final LockedRows rows;
  private final RowChange held;
  private final RowChange delete;
  private final RowChange giveBack;
  private final RowChange giveBackUnknown;
  private final RowChange postpone;
  private final RowChange postponeUnknown;
  private final RowChange park;
  private final RowChange parkUnknown;

  Claims(Sql sql, Bulk bulk, LockedRows rows) {
    this.sql = sql;
    this.bulk = bulk;
    this.rows = rows;
    this.held =
        change(
            "held_until = GREATEST(COALESCE(held_until, 0), :held_until), state = 'HELD',"
                + " reason = NULL, attempts = 0, owner = NULL, lease_until = 0",
            STILL_CLAIMED,
            ", held_until bigint");
    this.delete = sql.change("DELETE FROM {message}{using}" + STILL_CLAIMED, CLAIM);
    this.giveBack = change(AGAIN, NOT_CLAIMED_SINCE, "");
    this.giveBackUnknown = change(SENT + AGAIN, NOT_CLAIMED_SINCE, "");
    this.postpone = change(LATER, NOT_CLAIMED_SINCE, REASON + ", pause bigint");
    this.postponeUnknown = change(SENT + LATER, NOT_CLAIMED_SINCE, REASON + ", pause bigint");
    this.park = change(PARKED, STILL_CLAIMED, REASON);
    this.parkUnknown = change(SENT + PARKED, STILL_CLAIMED, REASON);
  }

  private RowChange change(String set, String condition, String columns) {
    return sql.change(
        "UPDATE {message} SET " + set + ", updated_at = {now}{from}" + condition, CLAIM + columns);
  }

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
                    + " WHERE route = ? AND state = 'PENDING' AND next_at <= ?"
                    + NEAR
                    + " AND lease_until <= {now} ORDER BY next_at LIMIT ?{skip-locked}"),
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
                    + " AND CONCAT(state, '') = 'PENDING' AND next_at <= ?"
                    + NEAR
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

  /**
   * Looks into the index once for each route, instead of reading all that is pending. To step there
   * from route to route costs PostgreSQL more: it reads the whole page on which the next begins.
   */
  List<String> routesDue(Connection connection, Instant horizon, @Nullable Set<String> among)
      throws SQLException {
    long at = Millis.floor(horizon);
    if (sql.dialect().stepsInOneStatement()) {
      String routes =
          "{plan-once}"
              + (among == null ? ROUTES_STEPPED : "")
              + "SELECT step.route FROM "
              + (among == null ? "step" : "unnest(?::text[]) AS step(route)")
              + " CROSS JOIN (SELECT {now} AS at) AS clock CROSS JOIN LATERAL ("
              + DUE.formatted("step.route", "clock.at")
              + ") AS due ORDER BY step.route";
      Object[] parameters =
          among == null
              ? new Object[] {at}
              : new Object[] {connection.createArrayOf("text", among.toArray()), at};
      return Jdbc.list(connection, sql.text(routes), row -> row.getString(1), parameters);
    }
    String due = sql.text(DUE.formatted("?", "{now}"));
    List<String> routes = new ArrayList<>();
    for (String route : Queries.pendingRoutes(connection, sql)) {
      if ((among == null || among.contains(route))
          && Jdbc.first(connection, due, row -> row.getInt(1), route, at).isPresent()) {
        routes.add(route);
      }
    }
    return routes;
  }

  /**
   * What is sent when due may have been begun by now, in a transaction of its handler's. Then all
   * that is known of the row decides, and nobody waits for that transaction. Nor for that of a
   * publisher, where it locks what it finds.
   */
  List<Ended> conclude(Connection connection, List<Conclusion> conclusions) throws SQLException {
    RowLimits.batch(conclusions.size(), MAX_ROWS);
    Ended[] ended = new Ended[conclusions.size()];
    Map<MessageKey, LockedRow> locked = new HashMap<>();
    Set<MessageKey> others = new HashSet<>();
    for (boolean sent : new boolean[] {true, false}) {
      List<MessageKey> keys =
          conclusions.stream()
              .filter(each -> (each.kind() == Kind.SENT) == sent)
              .map(Conclusion::claim)
              .filter(this::mayBeLocked)
              .map(Claim::key)
              .toList();
      String which = sent ? STILL_PENDING : "";
      locked.putAll(rows.unlocked(connection, keys, which));
      others.addAll(rows.lockedByOthers(connection, locked, keys, which));
    }
    List<LockedRow> written = new ArrayList<>();
    Map<RowChange, List<Integer>> plain = new LinkedHashMap<>();
    for (int i = 0; i < ended.length; i++) {
      Conclusion one = conclusions.get(i);
      LockedRow row = locked.get(one.claim().key());
      if (others.contains(one.claim().key())) {
        ended[i] = Ended.LOCKED;
      } else if (row == null && mayBeLocked(one.claim())) {
        ended[i] = Ended.OVERTAKEN;
      } else if (row == null
          || one.kind() != Kind.SENT
          || !one.claim().message().sentWhenDue()
          || !row.begun()) {
        plain.computeIfAbsent(statement(one), each -> new ArrayList<>()).add(i);
      } else if (row.sent(one.claim(), heldUntil(one))) {
        ended[i] = Ended.APPLIED;
        written.add(row);
      } else {
        ended[i] = Ended.OVERTAKEN;
      }
    }
    rows.write(connection, Bulk.Planned.ANEW, written);
    for (Map.Entry<RowChange, List<Integer>> each : plain.entrySet()) {
      List<@Nullable Object[]> values =
          each.getValue().stream().map(i -> values(conclusions.get(i))).toList();
      boolean[] changed = bulk.change(connection, Bulk.Planned.ANEW, each.getKey(), values);
      for (int i = 0; i < changed.length; i++) {
        ended[each.getValue().get(i)] = changed[i] ? Ended.APPLIED : Ended.OVERTAKEN;
      }
    }
    return List.of(ended);
  }

  private boolean mayBeLocked(Claim claim) {
    return claim.message().sentWhenDue() || sql.dialect().insertLocksPresent();
  }

  private RowChange statement(Conclusion one) {
    return switch (one.kind()) {
      case SENT -> held;
      case DELETE -> delete;
      case GIVE_BACK -> one.outcomeUnknown() ? giveBackUnknown : giveBack;
      case POSTPONE -> one.outcomeUnknown() ? postponeUnknown : postpone;
      case PARK -> one.outcomeUnknown() ? parkUnknown : park;
    };
  }

  private static long heldUntil(Conclusion sent) {
    return Millis.ceiling(Objects.requireNonNull(sent.heldUntil(), "held until"));
  }

  private static @Nullable Object[] values(Conclusion one) {
    Claim claim = one.claim();
    List<@Nullable Object> values =
        new ArrayList<>(
            List.of(
                claim.key().route(),
                claim.key().id(),
                claim.owner(),
                claim.fence(),
                claim.message().generation()));
    switch (one.kind()) {
      case SENT -> values.add(heldUntil(one));
      case POSTPONE -> {
        values.add(reason(one));
        values.add(RowLimits.millis(Objects.requireNonNull(one.pause(), "pause")));
      }
      case PARK -> values.add(reason(one));
      case DELETE, GIVE_BACK -> {}
    }
    return values.toArray();
  }

  private static String reason(Conclusion one) {
    return RowLimits.reason(Objects.requireNonNull(one.reason(), "reason"));
  }
}
