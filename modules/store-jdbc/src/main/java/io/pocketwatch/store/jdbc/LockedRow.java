// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore.Attempts;
import io.pocketwatch.store.SettlingStore.Beginning;
import io.pocketwatch.store.SettlingStore.Begun;
import io.pocketwatch.store.SettlingStore.Begun.Verdict;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a row on which decisions depend, as read; see ROW.md of tracking.
 *
 * @param rowName its name for statements, while it is locked; see {@link Dialect#isRow}
 * @param full whether it is tracked to the end
 * @param holder who sends it, or the token under which it is handled or was settled
 * @param consumer who began it last
 * @param begun whether its holder is a consumer
 * @param copyDropped whether a copy was dropped since
 * @param handedOn whether another consumer began it after a failure, so that both have copies
 * @param changedAt when it was changed by hand, or 0
 * @param now the database's clock
 */
record LockedRow(
    MessageKey key,
    String rowName,
    MessageState state,
    int generation,
    long deliverAt,
    long nextAt,
    @Nullable String nextQueue,
    boolean full,
    @Nullable String holder,
    long leaseUntil,
    long fence,
    @Nullable String consumer,
    boolean begun,
    boolean copyDropped,
    boolean handedOn,
    Attempts attempts,
    @Nullable String reason,
    long changedAt,
    long now) {
  static final String COLUMNS =
      "route, id, {row} AS row_name, state, generation, deliver_at, next_at, next_queue, tracking,"
          + " holder, lease_until, fence, consumer, begun_at, copy_dropped, handed_on, postponed,"
          + " retries, reason, changed_at, {now} AS at_millis";

  static LockedRow of(ResultSet row) throws SQLException {
    return new LockedRow(
        MessageRows.key(row),
        row.getString("row_name"),
        MessageState.valueOf(row.getString("state")),
        row.getInt("generation"),
        row.getLong("deliver_at"),
        row.getLong("next_at"),
        row.getString("next_queue"),
        Tracking.valueOf(row.getString("tracking")) == Tracking.FULL,
        row.getString("holder"),
        row.getLong("lease_until"),
        row.getLong("fence"),
        row.getString("consumer"),
        Jdbc.longOrNull(row, "begun_at") != null,
        row.getBoolean("copy_dropped"),
        row.getBoolean("handed_on"),
        new Attempts(row.getInt("postponed"), row.getInt("retries")),
        row.getString("reason"),
        row.getLong("changed_at"),
        row.getLong("at_millis"));
  }

  /** Whether it is to be sent to one queue only. */
  boolean toOneQueue() {
    return nextQueue != null;
  }

  /** Whether a copy is on the broker, or about to be sent. */
  boolean sentOrClaimed() {
    return state == MessageState.HELD || holder != null;
  }

  boolean cancelled() {
    return state == MessageState.CANCELLED;
  }

  boolean settled() {
    return state == MessageState.SETTLED;
  }

  /** Whether a consumer handles it, and its lease runs. */
  boolean beingHandled() {
    return state == MessageState.PENDING && begun && leaseUntil > now;
  }

  boolean isHeldUnder(String token) {
    return state == MessageState.PENDING && token.equals(holder);
  }

  boolean isSettledUnder(String token) {
    return state == MessageState.SETTLED && token.equals(holder);
  }

  /** The answer to a begin; {@link Handlings} has the same in SQL, for the answer HANDLE. */
  Begun begin(Beginning copy) {
    Handling wanted = copy.handling();
    if (cancelled()) {
      return Begun.of(Verdict.CANCELLED);
    }
    if (generation != copy.generation()) {
      return Begun.of(Verdict.OUTDATED);
    }
    boolean own = handedOn || consumer == null || consumer.equals(wanted.consumer());
    if (settled()) {
      return own ? Begun.of(Verdict.SETTLED) : ofOther();
    }
    if (isHeldUnder(wanted.token())) { // begun by a call whose answer was lost
      return Begun.handle(attempts);
    }
    if (copy.early() && (!full || deliverAt > now)) {
      return Begun.of(full ? Verdict.OUTDATED : Verdict.EARLY);
    }
    if (beingHandled()) {
      return Begun.of(own ? Verdict.BUSY : Verdict.LOCKED); // the other handling may yet fail
    }
    if (waitsForNextTry()) {
      return own ? Begun.of(Verdict.BUSY) : ofOther();
    }
    return Begun.handle(wanted.consumer().equals(consumer) ? attempts : Attempts.NONE);
  }

  private boolean waitsForNextTry() {
    return state == MessageState.PENDING && nextQueue != null && nextAt > now;
  }

  private Begun ofOther() {
    return Begun.otherConsumer(Objects.requireNonNull(consumer));
  }
}
