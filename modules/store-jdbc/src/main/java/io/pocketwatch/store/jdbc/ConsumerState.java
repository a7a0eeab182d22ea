// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * What a consumer does with a message.
 *
 * @param token of its last handling; empty once that has ended unsettled
 * @param generation which version of the message it has begun last; 0 if that left no trace
 * @param settledAt when it settled the message, or null
 */
record ConsumerState(
    String consumer,
    String token,
    int generation,
    long leaseUntil,
    long begunAt,
    @Nullable Long settledAt) {
  /** The columns have the same names in both tables. */
  static ConsumerState of(ResultSet row) throws SQLException {
    return new ConsumerState(
        row.getString("consumer"),
        row.getString("token"),
        row.getInt("handling_generation"),
        row.getLong("handling_until"),
        row.getLong("begun_at"),
        Jdbc.longOrNull(row, "settled_at"));
  }

  boolean settled() {
    return settledAt != null;
  }

  boolean underWay(long now) {
    return settledAt == null && !postponed() && leaseUntil > now;
  }

  /** Whether its next try, of that version of the message, is later than now. */
  boolean waits(int ofGeneration, long now) {
    return postponed() && generation == ofGeneration && leaseUntil > now;
  }

  private boolean postponed() {
    return token.isEmpty();
  }

  ConsumerState until(long newLease) {
    return new ConsumerState(consumer, token, generation, newLease, begunAt, null);
  }

  ConsumerState settledAt(long now) {
    return new ConsumerState(consumer, token, generation, leaseUntil, begunAt, now);
  }

  /** Ended without being settled, and not to be begun again before that instant. */
  ConsumerState postponed(long until) {
    return new ConsumerState(consumer, "", generation, until, begunAt, null);
  }

  /**
   * Ended without being settled.
   *
   * @param trace whether it still says that the message has arrived
   */
  ConsumerState stopped(boolean trace) {
    return new ConsumerState(consumer, "", trace ? generation : 0, 0, begunAt, null);
  }
}
