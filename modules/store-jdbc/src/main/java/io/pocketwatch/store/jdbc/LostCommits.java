// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.store.OverviewStore.LostChanges;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out when the database has lost commits that it had confirmed, as after a fail-over to a
 * stand-by that was behind. Before some of our commits it asks where they will be in the database's
 * log. A database that begins a timeline before such a place does not have that commit.
 *
 * <p>It never reports a loss that did not happen. Each place is asked in the transaction, ahead of
 * its commit, and counts once the commit was confirmed. It may miss a loss of less than {@link
 * #BETWEEN}, or of a time in which this process wrote nothing.
 */
final class LostCommits {
  private static final Logger LOG = LoggerFactory.getLogger(LostCommits.class);

  /** The least time between questions: each is a round trip, which few commits should pay. */
  static final Duration BETWEEN = Duration.ofMillis(100);

  private final Sql sql;
  private final LongSupplier nanoTime;
  private final AtomicLong asked;
  private volatile boolean answered;
  private volatile boolean silent;

  private final Map<Long, Timeline> timelines = new TreeMap<>();
  private long system;
  private long newer;
  private volatile @Nullable LostChanges lost;

  LostCommits(Sql sql, LongSupplier nanoTime) {
    this.sql = sql;
    this.nanoTime = nanoTime;
    this.asked = new AtomicLong(nanoTime.getAsLong() - BETWEEN.toNanos());
    this.silent = sql.dialect().logPosition().isEmpty();
  }

  /**
   * The least place of a commit in the log.
   *
   * @param system which database, copies included
   * @param timeline the number of the log, which grows with each promotion
   * @param at the place
   * @param began where the server stopped to follow another one or its own log; null if it did not
   * @param atMillis when that is, on the database's clock
   * @param beganMillis when the last commit was made that it took over; null if there was none
   */
  record Position(
      long system,
      long timeline,
      long at,
      @Nullable Long began,
      long atMillis,
      @Nullable Long beganMillis) {}

  private static final class Timeline {
    private long at;
    private long atMillis;
    private @Nullable Long began;
    private @Nullable Long beganMillis;
  }

  /**
   * Call it in a transaction right before its commit.
   *
   * @return null if it is too soon to ask, or if the transaction has changed nothing
   */
  @Nullable Position ask(Connection connection) throws SQLException {
    long last = asked.get();
    long now = nanoTime.getAsLong();
    if (silent || now - last < BETWEEN.toNanos() || !asked.compareAndSet(last, now)) {
      return null;
    }
    if (answered) {
      return read(connection);
    }
    Savepoint before = connection.setSavepoint();
    try {
      Position position = read(connection);
      answered = true;
      return position;
    } catch (SQLException e) {
      connection.rollback(before);
      silent = true;
      LOG.debug("the database does not say where its log is: {}", ErrorWords.of(e));
      return null;
    }
  }

  private @Nullable Position read(Connection connection) throws SQLException {
    return Jdbc.first(
            connection,
            sql.text(sql.dialect().logPosition()),
            row ->
                new Position(
                    row.getLong("system"),
                    row.getLong("timeline"),
                    row.getLong("at"),
                    Jdbc.longOrNull(row, "began"),
                    row.getLong("at_millis"),
                    Jdbc.longOrNull(row, "began_millis")))
        .orElse(null);
  }

  /** The commit was confirmed. */
  synchronized void confirmed(Position position) {
    if (position.system() != system) {
      timelines.clear(); // another database, whose log has nothing to do with the other's
      system = position.system();
    }
    Timeline timeline = timelines.computeIfAbsent(position.timeline(), number -> new Timeline());
    if (position.at() > timeline.at) {
      timeline.at = position.at();
      timeline.atMillis = position.atMillis();
    }
    Long began = position.began();
    if (began != null && (timeline.began == null || began < timeline.began)) {
      timeline.began = began;
      timeline.beganMillis = position.beganMillis();
    }
    look();
  }

  private void look() {
    Timeline before = null;
    for (Map.Entry<Long, Timeline> each : timelines.entrySet()) {
      Timeline timeline = each.getValue();
      if (before != null && timeline.began != null && before.at > timeline.began) {
        tell(each.getKey(), before, timeline);
      }
      if (before == null || timeline.at > before.at) {
        before = timeline;
      }
    }
  }

  private void tell(long number, Timeline before, Timeline after) {
    LostChanges found =
        new LostChanges(
            after.beganMillis == null ? null : Instant.ofEpochMilli(after.beganMillis),
            Instant.ofEpochMilli(before.atMillis));
    lost = found;
    if (newer != number) {
      newer = number;
      LOG.error(
          "The database has lost changes that it had confirmed, of {} to {}: it was restored, or a"
              + " stand-by took over that was behind. What was scheduled then is gone, what was"
              + " cancelled or settled then comes again",
          found.after() == null ? "an unknown instant" : found.after(),
          found.until());
    }
  }

  /** What was lost last, or null. */
  @Nullable LostChanges lost() {
    return lost;
  }
}
