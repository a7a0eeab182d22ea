// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore.Beginning;
import io.pocketwatch.store.SettlingStore.Begun;
import io.pocketwatch.store.SettlingStore.Begun.Verdict;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.SettlingStore.Ending;
import io.pocketwatch.store.SettlingStore.Ending.Kind;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.SettlingStore.Postponement;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.store.jdbc.Bulk.Changed;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Begins, renews and ends handlings, many in one statement. Locked rows are skipped, so that no
 * consumer waits for another's message.
 */
final class Handlings {
  private static final String KEY = "route text, id text, ";

  /**
   * A begin lost in a crash of the database is begun again, which is cheaper than to wait for the
   * disk. The reason why a copy was skipped must not be lost.
   */
  private static final String UNSYNCED = "{commit-unsynced}";

  private static final String SYNCED = "{commit-synced}";

  /** CONCAT: the state is not to tempt PostgreSQL's planner to read all that is pending. */
  static final String PENDING = "CONCAT(state, '') = 'PENDING'";

  /** A consumer handles the row, and its lease runs. */
  private static final String BEING_HANDLED =
      PENDING + " AND begun_at IS NOT NULL AND lease_until > {now}";

  /** The same as {@link LockedRow#begin}. */
  private static final String MAY_BEGIN =
      " AND generation = :generation"
          + " AND CONCAT(state, '') IN ('PENDING', 'HELD', 'FAILED', 'PARKED')"
          + (" AND ((" + PENDING + " AND holder = :token)")
          + " OR (:early = 0 OR (tracking = 'FULL' AND deliver_at <= {now}))"
          + (" AND NOT (" + BEING_HANDLED + ")")
          + (" AND NOT (" + PENDING + " AND next_queue IS NOT NULL AND next_at > {now}))");

  private static final String BEGIN =
      "handed_on = (handed_on OR COALESCE(state = 'FAILED' AND consumer <> :consumer, FALSE)),"
          + " postponed = CASE WHEN consumer = :consumer THEN postponed ELSE 0 END,"
          + " retries = CASE WHEN consumer = :consumer THEN retries ELSE 0 END,"
          + " copy_dropped = COALESCE(copy_dropped AND holder = :token, FALSE),"
          + " consumer = :consumer, begun_at = {now}, holder = :token,"
          + " lease_until = {now} + :lease, fence = fence + 1,"
          + " held_until = GREATEST(COALESCE(held_until, 0), {now}), finished_at = NULL,"
          + " updated_at = {now}, state = 'PENDING'";

  private static final String HELD_UNDER_TOKEN = " AND holder = :token AND " + PENDING;

  /** The row is sent again: its copy may be lost with a connection, and another was skipped. */
  private static final String SENT_AGAIN = "(copy_dropped AND :kind IN ('FAIL', 'REQUEUE'))";

  private static final String END =
      "finished_at = CASE WHEN :kind = 'SETTLE' THEN {now}"
          + (" WHEN :kind = 'FAIL' AND NOT " + SENT_AGAIN + " THEN {now} END,")
          + " next_at = CASE WHEN :kind = 'POSTPONE' THEN :until"
          + (" WHEN " + SENT_AGAIN + " THEN {now} ELSE next_at END,")
          + " next_queue = CASE WHEN :kind = 'POSTPONE' THEN :queue ELSE next_queue END,"
          + " postponed = postponed + CASE WHEN :kind = 'POSTPONE' THEN 1 ELSE 0 END,"
          + " retries = retries + :retry,"
          + " reason = CASE WHEN :kind = 'SETTLE' THEN reason"
          + " WHEN :kind = 'REQUEUE' THEN COALESCE(:reason, reason) ELSE :reason END,"
          + " held_until = CASE WHEN :kind = 'REQUEUE' THEN {now} ELSE held_until END,"
          + " handed_on = (handed_on OR (copy_dropped AND :kind = 'FAIL')),"
          + " holder = CASE WHEN :kind = 'SETTLE' THEN holder END, lease_until = 0,"
          + " updated_at = {now}, state = CASE WHEN :kind = 'SETTLE' THEN 'SETTLED'"
          + " WHEN :kind = 'PARK' THEN 'PARKED'"
          + (" WHEN :kind = 'POSTPONE' OR " + SENT_AGAIN + " THEN 'PENDING'")
          + " WHEN :kind = 'FAIL' THEN 'FAILED' ELSE 'HELD' END";

  private final LockedRows rows;
  private final Bulk bulk;
  private final Progress progress;
  private final KeyedChange begin;
  private final KeyedChange drop;
  private final KeyedChange waitUntilDue;
  private final KeyedChange extend;
  private final KeyedChange end;

  Handlings(Sql sql, Bulk bulk, LockedRows rows, Progress progress) {
    this.rows = rows;
    this.bulk = bulk;
    this.progress = progress;
    this.begin =
        KeyedChange.of(
            sql,
            UNSYNCED,
            BEGIN,
            MAY_BEGIN,
            KEY + "consumer text, token text, generation integer, early integer, lease bigint");
    this.drop =
        KeyedChange.of(
            sql, SYNCED, "copy_dropped = TRUE", " AND " + BEING_HANDLED, "route text, id text");
    this.waitUntilDue =
        KeyedChange.of(
            sql,
            SYNCED,
            "next_at = deliver_at, next_queue = NULL, holder = NULL, lease_until = 0,"
                + " updated_at = {now}, state = 'PENDING'",
            " AND generation = :generation AND deliver_at > {now}"
                + " AND CONCAT(state, '') IN ('PENDING', 'HELD') AND NOT ("
                + BEING_HANDLED
                + ")",
            KEY + "generation integer");
    this.extend =
        KeyedChange.of(
            sql,
            UNSYNCED,
            "lease_until = {now} + :lease",
            HELD_UNDER_TOKEN,
            KEY + "token text, lease bigint");
    this.end =
        KeyedChange.of(
            sql,
            "",
            END,
            HELD_UNDER_TOKEN,
            KEY + "token text, kind text, until bigint, queue text, retry integer, reason text");
  }

  List<Begun> begin(Connection connection, List<Beginning> copies, Duration lease)
      throws SQLException {
    long leaseMillis = RowLimits.millis(lease);
    copies.forEach(one -> RowLimits.consumer(one.handling().consumer()));
    List<Changed> found =
        bulk.change(
            connection,
            begin,
            Bulk.values(copies, one -> values(one, leaseMillis)),
            (row, i) -> row.begin(copies.get(i)).verdict() == Verdict.HANDLE);
    List<Begun> answers = new ArrayList<>();
    for (int i = 0; i < copies.size(); i++) {
      answers.add(answer(connection, copies.get(i), found.get(i)));
    }
    return answers;
  }

  private static @Nullable Object[] values(Beginning copy, long leaseMillis) {
    Handling wanted = copy.handling();
    return new @Nullable Object[] {
      wanted.key().route(),
      wanted.key().id(),
      wanted.consumer(),
      wanted.token(),
      copy.generation(),
      copy.early() ? 1 : 0,
      leaseMillis
    };
  }

  private Begun answer(Connection connection, Beginning copy, Changed found) throws SQLException {
    LockedRow row = found.row();
    if (found.changed()) {
      return Begun.handle(row == null ? found.attempts() : row.begin(copy).attempts());
    }
    if (row == null) {
      return Begun.of(Verdict.UNKNOWN);
    }
    Begun seen = row.begin(copy);
    MessageKey key = row.key();
    return switch (seen.verdict()) {
      case HANDLE -> Begun.of(Verdict.LOCKED); // a row that was free would be ours
      case BUSY ->
          row.beingHandled() && !row.copyDropped()
              ? noted(connection, drop, seen, key.route(), key.id())
              : seen;
      case OUTDATED ->
          row.generation() == copy.generation() && isOnItsWay(row)
              ? noted(connection, waitUntilDue, seen, key.route(), key.id(), row.generation())
              : seen;
      default -> seen;
    };
  }

  /** Whether an early copy was held by the broker, or sent too early by a wrong clock. */
  private static boolean isOnItsWay(LockedRow row) {
    return (row.state() == MessageState.PENDING || row.state() == MessageState.HELD)
        && !row.beingHandled();
  }

  /** A copy is skipped only if its row notes that. */
  private Begun noted(
      Connection connection, KeyedChange note, Begun answer, @Nullable Object... values)
      throws SQLException {
    Changed noted =
        bulk.change(connection, note, Collections.singletonList(values), (row, i) -> true).get(0);
    return noted.changed() ? answer : Begun.of(Verdict.LOCKED);
  }

  List<Ended> end(Connection connection, List<Ending> endings) throws SQLException {
    List<Ending> ends = endings.stream().filter(one -> one.kind() != Kind.SETTLED_IN).toList();
    List<Changed> found =
        bulk.change(
            connection,
            end,
            Bulk.values(ends, Handlings::values),
            (row, i) -> row.isHeldUnder(ends.get(i).handling().token()));
    Progress.Reached reached = new Progress.Reached();
    Map<Ending, Ended> answers = new IdentityHashMap<>();
    for (int i = 0; i < ends.size(); i++) {
      Ended answer = answer(ends.get(i), found.get(i));
      answers.put(ends.get(i), answer);
      if (answer == Ended.APPLIED && ends.get(i).kind() == Kind.SETTLE) {
        reached.add(ends.get(i).handling(), found.get(i).due());
      }
    }
    if (ends.size() < endings.size()) {
      answerSettledIn(connection, endings, answers, reached);
    }
    progress.write(connection, reached);
    return endings.stream().map(one -> Objects.requireNonNull(answers.get(one))).toList();
  }

  /** Whether the handler's transaction has committed; while it is open its row is locked. */
  private void answerSettledIn(
      Connection connection,
      List<Ending> endings,
      Map<Ending, Ended> answers,
      Progress.Reached reached)
      throws SQLException {
    List<Ending> asked = endings.stream().filter(one -> one.kind() == Kind.SETTLED_IN).toList();
    List<MessageKey> keys = asked.stream().map(one -> one.handling().key()).toList();
    LockedRows.Found found = rows.find(connection, keys);
    for (Ending one : asked) {
      MessageKey key = one.handling().key();
      LockedRow row = found.ours().get(key);
      if (row == null) { // locked, or deleted after its retention
        answers.put(one, found.others().containsKey(key) ? Ended.LOCKED : Ended.APPLIED);
      } else if (row.isSettledUnder(one.handling().token())) {
        reached.add(one.handling(), row.deliverAt());
        answers.put(one, Ended.APPLIED);
      } else {
        answers.put(one, Ended.OVERTAKEN);
      }
    }
  }

  /** A settle under the same token before was by a call whose answer was lost. */
  private static Ended answer(Ending ending, Changed found) {
    String token = ending.handling().token();
    LockedRow row = found.row();
    if (found.changed()
        || ending.kind() == Kind.SETTLE && row != null && row.isSettledUnder(token)) {
      return Ended.APPLIED;
    }
    return row != null && row.isHeldUnder(token) ? Ended.LOCKED : Ended.OVERTAKEN;
  }

  private static @Nullable Object[] values(Ending ending) {
    Handling handling = ending.handling();
    Postponement next = ending.postponement();
    if ((next != null) != (ending.kind() == Kind.POSTPONE)) {
      throw new IllegalArgumentException("what is postponed, and nothing else, says until when");
    }
    return new @Nullable Object[] {
      handling.key().route(),
      handling.key().id(),
      handling.token(),
      ending.kind().name(),
      next == null ? null : Millis.ceiling(next.until()),
      next == null ? null : RowLimits.postponement(next).queue(),
      next != null && next.retry() ? 1 : 0,
      ending.reason() == null ? null : RowLimits.reason(ending.reason())
    };
  }

  /**
   * Settles in a user's transaction, and waits for the row's lock. False if it was settled before,
   * also under the same token: the effect would happen twice.
   */
  boolean settle(Connection connection, Handling handling) throws SQLException {
    LockedRow row = rows.waitFor(connection, handling.key()).orElse(null);
    if (row == null || !row.isHeldUnder(handling.token())) {
      return false;
    }
    bulk.change(
        connection,
        Bulk.Planned.ANEW,
        end.ofLocked(),
        Collections.singletonList(values(Ending.settle(handling))));
    return true;
  }

  /**
   * Renews leases. True also for a locked row: its handling is just being ended, and a renewal must
   * not wait for that. It cannot be taken over meanwhile. If it is lost, the settle will show that.
   */
  List<Boolean> extend(Connection connection, List<Handling> handlings, Duration lease)
      throws SQLException {
    long leaseMillis = RowLimits.millis(lease);
    List<Changed> found =
        bulk.change(
            connection,
            extend,
            Bulk.values(
                handlings,
                one ->
                    new @Nullable Object[] {
                      one.key().route(), one.key().id(), one.token(), leaseMillis
                    }),
            (row, i) -> row.isHeldUnder(handlings.get(i).token()));
    List<Boolean> answers = new ArrayList<>();
    for (int i = 0; i < handlings.size(); i++) {
      LockedRow row = found.get(i).row();
      answers.add(
          found.get(i).changed() || row != null && row.isHeldUnder(handlings.get(i).token()));
    }
    return answers;
  }
}
