// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.StoredMessage;
import java.time.Duration;

/** For tests: makes waiting messages due earlier. Leases stay, so sends and handlings go on. */
public final class MovedTime {
  /** As {@link StoredMessage#sentWhenDue}: claimed or not, no broker holds it. */
  private static final String SENT_WHEN_DUE = "(tracking = 'FULL' OR next_queue IS NOT NULL)";

  /** Other claimed rows are on their way to the broker's hold queues, or there. */
  private static final String DUE =
      "SELECT COUNT(*) FROM {message} WHERE state = 'PENDING' AND (lease_until <= {now} OR "
          + SENT_WHEN_DUE
          + ") AND next_at > {now} AND next_at <= {now} + ?";

  private static final String HANDED_OFF_NOW =
      "SELECT COUNT(*) FROM {message} WHERE state = 'PENDING' AND lease_until > {now}"
          + " AND begun_at IS NULL AND NOT "
          + SENT_WHEN_DUE;

  private static final String ROWS =
      "UPDATE {message} SET deliver_at = deliver_at - ?, next_at = next_at - ?"
          + " WHERE state IN ('PENDING', 'HELD')";

  private final Sql sql;
  private final Transactions transactions;
  private final LowerBounds bounds;

  MovedTime(Sql sql, Transactions transactions, LowerBounds bounds) {
    this.sql = sql;
    this.transactions = transactions;
    this.bounds = bounds;
  }

  public static MovedTime of(JdbcDelayStore store) {
    return store.movedTime();
  }

  /**
   * Makes all waiting messages due earlier by that time, also their retries. A message that is
   * tracked to the end and claimed counts as well: its holder sends it when it was due, within two
   * seconds.
   *
   * @param time more than zero, in whole milliseconds
   * @return the number of messages that have become due
   */
  public int advance(Duration time) {
    long millis = time.toMillis();
    int due =
        transactions.run(
            "move time",
            connection -> {
              int found =
                  Jdbc.first(connection, sql.text(DUE), row -> row.getInt(1), millis).orElseThrow();
              Jdbc.update(connection, sql.text(ROWS), millis, millis);
              return found;
            });
    bounds.forget();
    return due;
  }

  /**
   * The number of messages on their way to the broker's hold queues. Their holders do not see that
   * {@link #advance} moves them.
   */
  public int handedOffNow() {
    return transactions.run(
        "count what is handed off",
        connection ->
            Jdbc.first(connection, sql.text(HANDED_OFF_NOW), row -> row.getInt(1)).orElseThrow());
  }

  /**
   * Deletes all messages, so that their ids can be used again. Sends and handlings go on without
   * their rows.
   */
  public void clear() {
    transactions.run(
        "clear", connection -> Jdbc.update(connection, sql.text("DELETE FROM {message}")));
    bounds.forget();
  }
}
