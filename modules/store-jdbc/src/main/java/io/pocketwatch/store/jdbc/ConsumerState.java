// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.SettlingStore.Attempts;
import io.pocketwatch.store.SettlingStore.Postponement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * What a consumer does with a message.
 *
 * @param token of its last handling; empty once that has ended unsettled
 * @param generation which version of the message it has begun last. It is negative if that left no
 *     trace: its copy is on its way, or back in its queue
 * @param leaseUntil of its handling; or when it is to be tried again
 * @param settledAt when it settled the message, or null
 * @param attempts how often it has put off that version
 * @param againQueue where it is to be sent again; null once it has begun that, or it was sent.
 *     Empty while it is being handled, if another copy was skipped meanwhile
 */
record ConsumerState(
    String consumer,
    String token,
    int generation,
    long leaseUntil,
    long begunAt,
    @Nullable Long settledAt,
    Attempts attempts,
    @Nullable String againQueue) {
  /** The columns have the same names in both tables. */
  static ConsumerState of(ResultSet row) throws SQLException {
    return new ConsumerState(
        row.getString("consumer"),
        row.getString("token"),
        row.getInt("handling_generation"),
        row.getLong("handling_until"),
        row.getLong("begun_at"),
        Jdbc.longOrNull(row, "settled_at"),
        new Attempts(row.getInt("postponed"), row.getInt("retries")),
        row.getString("again_queue"));
  }

  /** How often it has put off that version. */
  Attempts attempts(int ofGeneration) {
    return Math.abs(generation) == ofGeneration ? attempts : Attempts.NONE;
  }

  boolean settled() {
    return settledAt != null;
  }

  boolean underWay(long now) {
    return settledAt == null && !ended() && leaseUntil > now;
  }

  /** Whether that version of the message is to be sent to it again. */
  boolean toBeSent(int ofGeneration) {
    return againQueue != null
        && !againQueue.isEmpty()
        && settledAt == null
        && generation == ofGeneration;
  }

  /** Another copy came while this handling was under way, and was skipped. */
  ConsumerState skipped() {
    return new ConsumerState(
        consumer, token, generation, leaseUntil, begunAt, settledAt, attempts, "");
  }

  /** Whether this handling has the only copy, which may be gone with its channel. */
  boolean hasSkipped() {
    return againQueue != null && againQueue.isEmpty();
  }

  /** Whether nobody has ended a handling of that version whose lease is over. */
  boolean abandoned(int ofGeneration, long now) {
    return !settled() && !ended() && generation == ofGeneration && leaseUntil <= now;
  }

  private boolean ended() {
    return token.isEmpty();
  }

  /** Whether it has failed with that version of the message, and does not try again. */
  boolean failed(int ofGeneration) {
    return ended() && settledAt == null && againQueue == null && generation == ofGeneration;
  }

  static ConsumerState begun(
      String consumer, String token, int generation, long leaseUntil, long now, Attempts attempts) {
    return new ConsumerState(consumer, token, generation, leaseUntil, now, null, attempts, null);
  }

  ConsumerState until(long newLease) {
    return new ConsumerState(
        consumer, token, generation, newLease, begunAt, null, attempts, againQueue);
  }

  ConsumerState settledAt(long now) {
    return new ConsumerState(consumer, token, generation, leaseUntil, begunAt, now, attempts, null);
  }

  /** Ended without being settled, and not to be begun again before that instant. */
  ConsumerState postponed(Postponement next) {
    Attempts more =
        new Attempts(attempts.postponed() + 1, attempts.retries() + (next.retry() ? 1 : 0));
    long until = Millis.ceiling(next.until());
    return new ConsumerState(consumer, "", generation, until, begunAt, null, more, next.queue());
  }

  /** Its copy is on its way: nothing more is to be sent by itself. */
  ConsumerState sent() {
    return stopped(false);
  }

  /**
   * Ended without being settled.
   *
   * @param trace whether it still says that the message has arrived
   */
  ConsumerState stopped(boolean trace) {
    return new ConsumerState(
        consumer, "", trace ? generation : -Math.abs(generation), 0, begunAt, null, attempts, null);
  }
}
