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
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Claims rows, and ends claims: an end applies only while its claim is the last one. */
final class Claims {
  private static final int MAX_ROWS = 10_000;

  /** The claim is still the row's last one. CONCAT as in {@link Handlings}. */
  private static final String STILL_CLAIMED =
      " AND holder = :holder AND fence = :fence AND " + Handlings.PENDING;

  private static final String KEY = "route text, id text, holder text, fence bigint";

  /** The broker holds no message that goes to one queue only, so it is claimed when near due. */
  private static final String NEAR =
      " AND (next_queue IS NULL OR next_at <= {now} + %s)".formatted(StoreRule.NEAR_DUE.toMillis());

  private static final String FREE = " AND next_at <= ?" + NEAR + " AND lease_until <= {now}";

  /** A consumer has begun the row, and not ended it. */
  static final String ABANDONED = "(holder IS NOT NULL AND begun_at IS NOT NULL)";

  /** The latest instant at which a copy that may be on the broker arrives. */
  private static final String COPY_POSSIBLE = "GREATEST(COALESCE(held_until, 0), deliver_at)";

  /** A holder whose lease has run out may have published the row. */
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

  /** The due rows of a route. Parameters: the route, the lower bound, the horizon, the time. */
  private static final String DUE =
      "SELECT TRUE FROM {message} WHERE state = 'PENDING' AND route = %1$s AND next_at >= %2$s"
          + " AND next_at <= %3$s AND (next_queue IS NULL OR next_at - "
          + StoreRule.NEAR_DUE.toMillis() // what is added to a parameter is an INT in H2
          + " <= %4$s) AND lease_until <= %4$s ORDER BY next_at LIMIT 1";

  /**
   * The first row from that instant on, for the next look's bound: one that is being sent counts,
   * as it may be given back. One that a consumer handles does not, as that may take hours.
   */
  private static final String FIRST =
      "SELECT next_at, next_queue, lease_until FROM {message} WHERE state = 'PENDING'"
          + " AND route = %1$s AND next_at >= %2$s"
          + " AND (begun_at IS NULL OR lease_until <= %3$s) ORDER BY next_at LIMIT 1";

  /** The first row and whether any is due, in one statement. Mostly the first row tells both. */
  private static final String FIRST_AND_DUE =
      "SELECT step.route, first.next_at, CASE WHEN first.next_at > given.until THEN FALSE"
          + " WHEN first.lease_until <= given.at AND first.next_queue IS NULL THEN TRUE"
          + " ELSE COALESCE(("
          + DUE.formatted("step.route", "first.next_at", "given.until", "given.at")
          + "), FALSE) END AS due FROM step"
          + " CROSS JOIN (SELECT ?::bigint AS at, ?::bigint AS until) AS given LEFT JOIN LATERAL ("
          + FIRST.formatted("step.route", "step.first_at", "given.at")
          + ") AS first ON TRUE ORDER BY step.route";

  private static final String ROUTES_ASKED =
      "WITH step AS (SELECT * FROM unnest(?::text[], ?::bigint[]) AS asked(route, first_at)) ";

  /** The result of a look at a route: its first row, and whether any is due. */
  private record Seen(String route, @Nullable Long first, boolean due) {
    static Seen of(ResultSet row) throws SQLException {
      return new Seen(
          row.getString("route"), Jdbc.longOrNull(row, "next_at"), row.getBoolean("due"));
    }
  }

  private static final Comparator<Claim> EARLIEST_FIRST =
      Comparator.comparing((Claim claim) -> claim.message().nextAt())
          .thenComparing(claim -> claim.key().id());

  private final Sql sql;
  private final Bulk bulk;
  private final String ofRoute;
  private final String ofKey;
  private final String lookAsked;
  private final String lookInFull;
  private final String first;
  private final String due;
  private final KeyedChange conclude;
  private final KeyedChange delete;
  private final LowerBounds bounds;

  Claims(Sql sql, Bulk bulk, LowerBounds bounds) {
    this.sql = sql;
    this.bulk = bulk;
    this.bounds = bounds;
    this.ofRoute =
        bulk.claimStatement(
            "route = ? AND state = 'PENDING' AND next_at >= ?" + FREE + " ORDER BY next_at");
    this.ofKey = bulk.claimStatement("route = ? AND id = ? AND " + Handlings.PENDING + FREE);
    this.lookAsked = sql.text("{plan-once}" + ROUTES_ASKED + FIRST_AND_DUE);
    this.lookInFull = sql.text("{plan-once}" + ROUTES_STEPPED + FIRST_AND_DUE);
    this.first = sql.text(FIRST.formatted("?", "?", "?"));
    this.due = sql.text(DUE.formatted("?", "?", "?", "?"));
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
            List.of(request.route(), bounds.from(request.route()), Millis.floor(request.horizon())))
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
   * That is the look in full, which finds what others begin above.
   */
  List<String> routesDue(Connection connection, Instant horizon, @Nullable Set<String> among)
      throws SQLException {
    LowerBounds.Look look = bounds.look(sql.millis(connection));
    List<Seen> seen =
        sql.dialect().stepsInOneStatement()
            ? inOneStatement(connection, look, Millis.floor(horizon), among)
            : oneByOne(connection, look, Millis.floor(horizon), among);
    if (among == null) {
      seen.forEach(each -> look.sawInFull(each.route, each.first));
      look.sawNoOthers(seen.stream().map(Seen::route).collect(Collectors.toSet()));
    } else {
      seen.forEach(each -> look.saw(each.route, each.first));
    }
    return seen.stream().filter(Seen::due).map(Seen::route).toList();
  }

  private List<Seen> inOneStatement(
      Connection connection, LowerBounds.Look look, long until, @Nullable Set<String> among)
      throws SQLException {
    List<Object> parameters = new ArrayList<>();
    if (among != null) {
      String[] routes = among.toArray(String[]::new);
      Object[] from = Stream.of(routes).map(look::from).toArray();
      parameters.add(connection.createArrayOf("text", routes));
      parameters.add(connection.createArrayOf("bigint", from));
    }
    parameters.add(look.at());
    parameters.add(until);
    return Jdbc.list(
        connection, among == null ? lookInFull : lookAsked, Seen::of, parameters.toArray());
  }

  private List<Seen> oneByOne(
      Connection connection, LowerBounds.Look look, long until, @Nullable Set<String> among)
      throws SQLException {
    List<Seen> seen = new ArrayList<>();
    for (String route :
        among == null ? Queries.pendingRoutes(connection, sql) : new TreeSet<>(among)) {
      long from = among == null ? LowerBounds.NONE : look.from(route);
      Long found =
          Jdbc.first(connection, first, row -> row.getLong("next_at"), route, from, look.at())
              .orElse(null);
      boolean any =
          found != null
              && found <= until
              && Jdbc.first(connection, due, row -> true, route, found, until, look.at(), look.at())
                  .isPresent();
      seen.add(new Seen(route, found, any));
    }
    return seen;
  }

  /** Ends claims. A row begun by a consumer is no longer the claimer's; no lock is waited for. */
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
