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
import io.pocketwatch.store.jdbc.Bulk.Changed;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Claims rows, and ends claims: each end counts only while its claim is the last one. */
final class Claims {
  private static final int MAX_ROWS = 10_000;

  /** The last to hold it, and nobody since. CONCAT as in {@link Handlings}. */
  private static final String STILL_CLAIMED =
      " AND holder = :holder AND fence = :fence AND " + Handlings.PENDING;

  private static final String KEY = "route text, id text, holder text, fence bigint";

  /** No broker holds what goes to one queue only, so it is claimed when it is near due. */
  private static final String NEAR =
      " AND (next_queue IS NULL OR next_at <= {now} + %s)".formatted(StoreRule.NEAR_DUE.toMillis());

  private static final String FREE = " AND next_at <= ?" + NEAR + " AND lease_until <= {now}";

  /** A consumer has begun it, and nobody has ended that. */
  static final String ABANDONED = "(holder IS NOT NULL AND begun_at IS NOT NULL)";

  /** A copy may be on the broker, and come when the row says. */
  private static final String COPY_POSSIBLE = "GREATEST(COALESCE(held_until, 0), deliver_at)";

  /** Whose lease has run out may have published. */
  static final String CLAIMED =
      "held_until = CASE WHEN holder IS NULL THEN held_until ELSE "
          + COPY_POSSIBLE
          + " END, holder = ?, lease_until = {now} + ?, fence = fence + 1, begun_at = NULL,"
          + " updated_at = {now}";

  private static final String CONCLUDED =
      "held_until = CASE WHEN :kind = 'SENT'"
          + " THEN GREATEST(COALESCE(held_until, 0), :held_until) WHEN :unknown = 1 THEN "
          + COPY_POSSIBLE
          + " ELSE held_until END,"
          + " attempts = CASE WHEN :kind = 'SENT' THEN 0 WHEN :kind = 'POSTPONE' THEN attempts + 1"
          + " ELSE attempts END,"
          + " reason = CASE WHEN :kind = 'SENT' AND next_queue IS NULL THEN NULL"
          + " WHEN :kind IN ('POSTPONE', 'PARK') THEN :reason ELSE reason END,"
          + " next_at = CASE WHEN :kind = 'POSTPONE' THEN {now} + :pause ELSE next_at END,"
          + " holder = NULL, lease_until = 0, updated_at = {now},"
          + " state = CASE WHEN :kind = 'SENT' THEN 'HELD' WHEN :kind = 'PARK' THEN 'PARKED'"
          + " ELSE 'PENDING' END";

  private static final String ROUTES_STEPPED =
      "WITH RECURSIVE step (route, first_at) AS (" + Queries.stepsThrough("next_at") + ") ";

  /** Of that route, by that clock. */
  private static final String DUE =
      "SELECT 1 FROM {message} WHERE state = 'PENDING' AND route = %1$s AND next_at <= ?"
          + NEAR.replace("{now}", "%2$s")
          + " AND lease_until <= %2$s ORDER BY next_at LIMIT 1";

  private static final Comparator<Claim> EARLIEST_FIRST =
      Comparator.comparing((Claim claim) -> claim.message().nextAt())
          .thenComparing(claim -> claim.key().id());

  private final Sql sql;
  private final Bulk bulk;
  private final String ofRoute;
  private final String ofKey;
  private final KeyedChange conclude;
  private final KeyedChange delete;

  Claims(Sql sql, Bulk bulk) {
    this.sql = sql;
    this.bulk = bulk;
    this.ofRoute = bulk.candidates("route = ? AND state = 'PENDING'" + FREE + " ORDER BY next_at");
    this.ofKey = bulk.candidates("route = ? AND id = ? AND " + Handlings.PENDING + FREE);
    this.conclude =
        KeyedChange.of(
            sql,
            "",
            CONCLUDED,
            STILL_CLAIMED,
            KEY + ", kind text, held_until bigint, pause bigint, reason text, unknown integer");
    this.delete = KeyedChange.of(sql, "", null, STILL_CLAIMED, KEY);
  }

  List<Claim> claim(Connection connection, ClaimRequest request) throws SQLException {
    RowLimits.limit(request.maxRows(), MAX_ROWS);
    return bulk
        .claim(
            connection,
            ofRoute,
            request.maxRows(),
            request.maxBytes(),
            RowLimits.owner(request.lease().owner()),
            RowLimits.millis(request.lease().length()),
            List.of(request.route(), Millis.floor(request.horizon())))
        .stream()
        .sorted(EARLIEST_FIRST)
        .toList();
  }

  Optional<Claim> claim(Connection connection, MessageKey key, Instant horizon, Lease lease)
      throws SQLException {
    if (!RowLimits.possible(key)) {
      return Optional.empty();
    }
    return bulk
        .claim(
            connection,
            ofKey,
            1,
            Long.MAX_VALUE,
            RowLimits.owner(lease.owner()),
            RowLimits.millis(lease.length()),
            List.of(key.route(), key.id(), Millis.floor(horizon)))
        .stream()
        .findFirst();
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

  /** What a consumer has begun is no longer the claimer's, and nobody waits for its handler. */
  List<Ended> conclude(Connection connection, List<Conclusion> conclusions) throws SQLException {
    RowLimits.batch(conclusions.size(), MAX_ROWS);
    Ended[] ended = new Ended[conclusions.size()];
    for (boolean deletes : new boolean[] {false, true}) {
      List<Integer> some =
          IntStream.range(0, ended.length)
              .filter(i -> (conclusions.get(i).kind() == Kind.DELETE) == deletes)
              .boxed()
              .toList();
      if (some.isEmpty()) {
        continue;
      }
      List<Changed> found =
          bulk.change(
              connection,
              deletes ? delete : conclude,
              Bulk.values(some, i -> values(conclusions.get(i))),
              (row, i) -> isStill(row, conclusions.get(some.get(i)).claim()));
      for (int i = 0; i < found.size(); i++) {
        ended[some.get(i)] = ended(found.get(i), conclusions.get(some.get(i)).claim());
      }
    }
    return List.of(ended);
  }

  private static Ended ended(Changed found, Claim claim) {
    if (found.changed()) {
      return Ended.APPLIED;
    }
    return found.row() != null && isStill(found.row(), claim) ? Ended.LOCKED : Ended.OVERTAKEN;
  }

  private static boolean isStill(LockedRow row, Claim claim) {
    return row.isHeldUnder(claim.owner()) && row.fence() == claim.fence();
  }

  private static @Nullable Object[] values(Conclusion one) {
    Claim claim = one.claim();
    List<@Nullable Object> values =
        new ArrayList<>(
            List.of(claim.key().route(), claim.key().id(), claim.owner(), claim.fence()));
    if (one.kind() != Kind.DELETE) {
      Kind kind = one.kind();
      boolean told = kind == Kind.POSTPONE || kind == Kind.PARK;
      values.add(kind.name());
      values.add(
          kind == Kind.SENT
              ? Millis.ceiling(Objects.requireNonNull(one.heldUntil(), "held until"))
              : null);
      values.add(
          kind == Kind.POSTPONE
              ? RowLimits.millis(Objects.requireNonNull(one.pause(), "pause"))
              : null);
      values.add(told ? RowLimits.reason(Objects.requireNonNull(one.reason(), "reason")) : null);
      values.add(one.outcomeUnknown() ? 1 : 0);
    }
    return values.toArray();
  }
}
