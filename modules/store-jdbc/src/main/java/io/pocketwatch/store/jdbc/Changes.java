// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.config.DelayLimits;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.MessageQuery.Cursor;
import io.pocketwatch.store.OverviewStore.Changed;
import io.pocketwatch.store.SchedulingStore.ManyChanged;
import io.pocketwatch.store.SchedulingStore.MessageChange;
import io.pocketwatch.store.SchedulingStore.MessageChange.Kind;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.store.jdbc.Bulk.Planned;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Cancel, reschedule, retry by hand: one message, or those of a filter. */
final class Changes {
  /**
   * The broker's copy of a row that is not tracked to the end would be delivered unchecked. So such
   * a row changes only while no copy can exist. An earlier holder may have made one.
   */
  private static final String RECALLABLE =
      " AND (tracking = 'FULL' OR state = 'PENDING' AND holder IS NULL AND held_until IS NULL"
          + " OR state = 'PARKED' AND (held_until IS NULL OR held_until <= {now}))";

  /** A claimer may have published the row without marking it. */
  private static final String COPY_UNTIL =
      "held_until = CASE WHEN tracking = 'FULL' AND fence > 0"
          + " AND (held_until IS NULL OR held_until < deliver_at)"
          + " THEN deliver_at ELSE held_until END";

  private static final String CHANGED =
      ", changed_by = :actor, changed_at = {now}, updated_at = {now}, "
          + TimelineQuery.ADD
          + "{from} WHERE {is-row}";

  /** Makes a new version, to be loaded at next_at: not before now, where a poll could miss it. */
  private static final String ANEW =
      "UPDATE {message} SET "
          + COPY_UNTIL
          + ", state = 'PENDING', generation = generation + 1, attempts = 0, holder = NULL,"
          + " lease_until = 0, reason = NULL, finished_at = NULL, deliver_at = :due,"
          + " next_at = GREATEST(:due, {now}), next_queue = NULL, begun_at = NULL, postponed = 0,"
          + " retries = 0, handed_on = FALSE";

  private static final long LATEST = DelayLimits.LATEST.toEpochMilli();

  private static final String COLUMNS =
      "route text, id text, row_name text, actor text, entry text";

  private static final String WITH_DUE = COLUMNS + ", due bigint";

  private final Sql sql;
  private final Bulk bulk;
  private final LockedRows rows;
  private final MessageListQuery<Cursor> places;
  private final RowChange cancel;
  private final RowChange reschedule;
  private final RowChange retry;
  private final RowChange soon;

  Changes(Sql sql, Bulk bulk, LockedRows rows) {
    this.sql = sql;
    this.bulk = bulk;
    this.rows = rows;
    this.places =
        new MessageListQuery<>(
            sql,
            "deliver_at, route, id",
            row ->
                new Cursor(
                    Jdbc.instant(row, "deliver_at"), row.getString("route"), row.getString("id")),
            each -> each);
    this.cancel =
        sql.change(
            "UPDATE {message} SET "
                + COPY_UNTIL
                + ", state = 'CANCELLED', holder = NULL, lease_until = 0, finished_at = {now}"
                + CHANGED
                + RECALLABLE,
            COLUMNS);
    this.reschedule = sql.change(ANEW + CHANGED + RECALLABLE, WITH_DUE);
    this.retry = sql.change(ANEW + CHANGED, WITH_DUE);
    // The row waits to be loaded, or is being loaded: only a pause can hold it up.
    this.soon =
        sql.change(
            "UPDATE {message} SET attempts = 0, lease_until = 0,"
                + " next_at = GREATEST(deliver_at, {now})"
                + CHANGED
                + " AND holder IS NULL",
            COLUMNS);
  }

  /** Changes one message; waits for a lock on it. */
  ChangeOutcome one(
      Connection connection, MessageKey key, MessageChange change, @Nullable String actor)
      throws SQLException {
    LockedRow row = rows.waitFor(connection, key).orElse(null);
    return row == null
        ? ChangeOutcome.UNKNOWN
        : Objects.requireNonNull(
            apply(connection, List.of(row), change, actor, Planned.ANEW).get(key));
  }

  /** Changes the locked rows, and returns the answer for each. */
  private Map<MessageKey, ChangeOutcome> apply(
      Connection connection,
      Collection<LockedRow> locked,
      MessageChange change,
      @Nullable String actor,
      Planned planned)
      throws SQLException {
    RowLimits.actor(actor);
    Map<MessageKey, ChangeOutcome> outcomes = new HashMap<>();
    Map<RowChange, List<LockedRow>> changes = new LinkedHashMap<>();
    for (LockedRow row : locked) {
      if (row.cancelled() && change.kind() == Kind.CANCEL) {
        outcomes.put(row.key(), ChangeOutcome.DONE); // an earlier answer may have been lost
      } else if (row.settled() || row.cancelled()) {
        outcomes.put(row.key(), ChangeOutcome.TOO_LATE);
      } else if (row.beingHandled()) {
        outcomes.put(row.key(), ChangeOutcome.BEING_HANDLED);
      } else if (change.by() != null && due(row, change) > LATEST) {
        outcomes.put(row.key(), ChangeOutcome.TOO_LATE);
      } else {
        changes.computeIfAbsent(statement(row, change), each -> new ArrayList<>()).add(row);
      }
    }
    for (Map.Entry<RowChange, List<LockedRow>> each : changes.entrySet()) {
      List<@Nullable Object[]> values = new ArrayList<>();
      for (LockedRow row : each.getValue()) {
        values.add(values(row, change, actor, hasDue(each.getKey())));
      }
      boolean[] changed = bulk.change(connection, planned, each.getKey(), values);
      for (int i = 0; i < changed.length; i++) {
        LockedRow row = each.getValue().get(i);
        boolean done = changed[i] || change.kind() == Kind.RETRY || isSo(row, change);
        outcomes.put(row.key(), done ? ChangeOutcome.DONE : ChangeOutcome.TOO_LATE);
      }
    }
    return outcomes;
  }

  /** Whether it has that instant already, perhaps by a call whose answer was lost. */
  private static boolean isSo(LockedRow row, MessageChange change) {
    return change.kind() == Kind.RESCHEDULE
        && row.sentOrClaimed()
        && due(row, change) == row.deliverAt();
  }

  private boolean hasDue(RowChange statement) {
    return statement == reschedule || statement == retry;
  }

  private RowChange statement(LockedRow row, MessageChange change) {
    return switch (change.kind()) {
      case CANCEL -> cancel;
      case RESCHEDULE -> reschedule;
      case RETRY -> row.state() == MessageState.PENDING && !row.toOneQueue() ? soon : retry;
    };
  }

  private static @Nullable Object[] values(
      LockedRow row, MessageChange change, @Nullable String actor, boolean withDue) {
    MessageKey key = row.key();
    Long moved = change.kind() == Kind.RESCHEDULE ? due(row, change) : null;
    String entry = TimelineQuery.entry(done(change.kind()), moved, actor);
    Stream<@Nullable Object> values = Stream.of(key.route(), key.id(), row.rowName(), actor, entry);
    return withDue
        ? Stream.concat(values, Stream.of(due(row, change))).toArray()
        : values.toArray();
  }

  private static Changed.Kind done(Kind asked) {
    return switch (asked) {
      case CANCEL -> Changed.Kind.CANCELLED;
      case RESCHEDULE -> Changed.Kind.RESCHEDULED;
      case RETRY -> Changed.Kind.RETRIED;
    };
  }

  private static long due(LockedRow row, MessageChange change) {
    Instant to = change.to();
    Duration by = change.by();
    if (to != null) {
      return Millis.ceiling(to);
    }
    if (by == null) {
      return row.deliverAt();
    }
    return Math.max(0, Millis.ceiling(Instant.ofEpochMilli(row.deliverAt()).plus(by)));
  }

  /**
   * The state of a change of many.
   *
   * @param change the change, with the instant at which it began
   * @param locked the messages of the filter that other transactions have locked
   */
  record Many(MessageChange change, ManyChanged changed, List<MessageKey> locked) {
    /** Counts the locked messages as being handled. */
    Many busy() {
      long busy = locked.size();
      return new Many(change, and(Map.of(ChangeOutcome.BEING_HANDLED, busy), Set.of()), List.of());
    }

    ManyChanged and(Map<ChangeOutcome, Long> counts, Set<String> routes) {
      return changed.plus(new ManyChanged(counts, routes, changed.next(), changed.asOf()));
    }
  }

  /** Changes a page of the filter, except for locked messages. */
  Many many(
      Connection connection, MessageQuery filter, MessageChange change, @Nullable String actor)
      throws SQLException {
    Instant asOf =
        change.asOf() == null ? Instant.ofEpochMilli(sql.millis(connection)) : change.asOf();
    MessageChange begun = change.asOf(asOf);
    List<Cursor> page =
        change.kind() == Kind.RESCHEDULE
            ? places.page(
                connection,
                filter,
                " AND (changed_at IS NULL OR changed_at < ?)",
                asOf.toEpochMilli())
            : places.page(connection, filter);
    Cursor next = page.size() < filter.limit() ? null : page.get(page.size() - 1);
    return go(
        connection,
        new Many(begun, new ManyChanged(Map.of(), Set.of(), next, asOf), List.of()),
        page.stream().map(place -> new MessageKey(place.route(), place.id())).toList(),
        filter,
        actor);
  }

  /**
   * Changes the messages that were locked before and are free now.
   *
   * @param wait whether to wait for the first of them
   */
  Many locked(
      Connection connection, Many before, boolean wait, MessageQuery filter, @Nullable String actor)
      throws SQLException {
    if (wait) {
      rows.waitFor(connection, before.locked().get(0));
    }
    return go(connection, before, before.locked(), filter, actor);
  }

  private Many go(
      Connection connection,
      Many before,
      List<MessageKey> keys,
      MessageQuery filter,
      @Nullable String actor)
      throws SQLException {
    LockedRows.Found found = rows.find(connection, keys);
    List<LockedRow> chosen =
        found.ours().values().stream().filter(row -> isOf(row, filter, before.change())).toList();
    Map<ChangeOutcome, Long> counts = new HashMap<>();
    Set<String> routes = new HashSet<>();
    apply(connection, chosen, before.change(), actor, Planned.ONCE)
        .forEach(
            (key, outcome) -> {
              counts.merge(outcome, 1L, Long::sum);
              if (outcome == ChangeOutcome.DONE) {
                routes.add(key.route());
              }
            });
    List<MessageKey> locked = keys.stream().filter(found.others()::containsKey).toList();
    return new Many(before.change(), before.and(counts, routes), locked);
  }

  /** Whether the locked row still matches: another change of many may have changed it. */
  private static boolean isOf(LockedRow row, MessageQuery filter, MessageChange change) {
    if (row.settled()) {
      return true;
    }
    Instant due = Instant.ofEpochMilli(row.deliverAt());
    Instant asOf = change.asOf();
    return (filter.states().isEmpty() || filter.states().contains(row.state()))
        && (filter.reason() == null || RowLimits.reason(filter.reason()).equals(row.reason()))
        && (filter.from() == null || !due.isBefore(filter.from()))
        && (filter.until() == null || due.isBefore(filter.until()))
        && (change.kind() != Kind.RESCHEDULE
            || asOf == null
            || row.changedAt() < asOf.toEpochMilli());
  }
}
