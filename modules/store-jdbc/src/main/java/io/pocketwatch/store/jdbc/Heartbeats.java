// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.LoadingStore.LoaderHeartbeat;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/** One row per loader. */
final class Heartbeats {
  /** The most rows that are read: a loader that crashes and restarts is a new one each time. */
  private static final int MOST = 1_000;

  private static final long DAY = Duration.ofDays(1).toMillis();

  private final Sql sql;

  Heartbeats(Sql sql) {
    this.sql = sql;
  }

  void write(Connection connection, LoaderHeartbeat heartbeat) throws SQLException {
    String owner = RowLimits.owner(heartbeat.owner());
    Instant lastRun = heartbeat.lastRun();
    Duration lease = heartbeat.lease();
    // Each loader writes its own row only, so this needs no database's upsert.
    Jdbc.update(
        connection,
        sql.text("DELETE FROM {heartbeat} WHERE owner = ? OR beat_at < {now} - " + 2 * DAY),
        owner);
    Jdbc.update(
        connection,
        sql.text(
            "INSERT INTO {heartbeat} (owner, beat_at, horizon, loaded, last_run, lease_millis)"
                + " VALUES (?, {now}, ?, ?, ?, ?)"),
        owner,
        Millis.floor(heartbeat.horizon()),
        heartbeat.loaded(),
        lastRun == null ? null : Millis.floor(lastRun),
        lease == null ? null : lease.toMillis());
  }

  List<LoaderHeartbeat> read(Connection connection) throws SQLException {
    return Jdbc.list(
            connection,
            sql.text(
                "SELECT owner, beat_at, horizon, loaded, last_run, lease_millis FROM {heartbeat}"
                    + " WHERE beat_at >= {now} - "
                    + DAY
                    + " ORDER BY beat_at DESC LIMIT "
                    + MOST),
            row ->
                new LoaderHeartbeat(
                    row.getString("owner"),
                    Jdbc.instant(row, "beat_at"),
                    Jdbc.instant(row, "horizon"),
                    row.getLong("loaded"),
                    Jdbc.instantOrNull(row, "last_run"),
                    Jdbc.millisOrNull(row, "lease_millis")))
        .stream()
        .sorted(Comparator.comparing(LoaderHeartbeat::owner))
        .toList();
  }
}
