// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.sql;

import io.pocketwatch.benchmarks.harness.Ground;
import io.pocketwatch.benchmarks.harness.ProcessUse;
import io.pocketwatch.benchmarks.harness.Server;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;

/** A PostgreSQL of this run alone, as safe as one is in production: it syncs every commit. */
public final class PostgresServer implements Server {
  private static final Map<String, String> SETTINGS =
      new TreeMap<>(
          Map.of(
              "autovacuum", "on",
              "fsync", "on", // the library switches it off
              "full_page_writes", "on",
              "max_connections", "200",
              "max_wal_size", "4GB",
              "shared_buffers", "512MB",
              "synchronous_commit", "on"));

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final EmbeddedPostgres postgres;
  private final ProcessHandle postmaster;
  private final String description;

  private PostgresServer(EmbeddedPostgres postgres, ProcessHandle postmaster, String description) {
    this.postgres = postgres;
    this.postmaster = postmaster;
    this.description = description;
  }

  /** The one of that run. */
  public static PostgresServer of(Ground ground) throws Exception {
    return ground.server("postgresql", PostgresServer.class, () -> start(ground.folder("pg")));
  }

  private static PostgresServer start(Path folder) throws IOException, SQLException {
    EmbeddedPostgres.Builder builder =
        EmbeddedPostgres.builder().setDataDirectory(folder).setPGStartupWait(PATIENCE);
    SETTINGS.forEach(builder::setServerConfig);
    // What batches there are go to the server as one statement each: for everybody.
    builder.setConnectConfig("reWriteBatchedInserts", "true");
    EmbeddedPostgres postgres = builder.start();
    try {
      return new PostgresServer(
          postgres, postmaster(folder), describe(postgres.getPostgresDatabase()));
    } catch (IOException | SQLException | RuntimeException e) {
      postgres.close();
      throw e;
    }
  }

  private static ProcessHandle postmaster(Path folder) throws IOException {
    long pid = Long.parseLong(Files.readAllLines(folder.resolve("postmaster.pid")).get(0).strip());
    return ProcessHandle.of(pid)
        .orElseThrow(() -> new IOException("PostgreSQL has ended, it was process " + pid));
  }

  /** Asks the server: what was set need not be what counts. */
  private static String describe(DataSource dataSource) throws SQLException {
    List<String> settings = new ArrayList<>();
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      for (String name : SETTINGS.keySet()) {
        String value = show(statement, name);
        if (!value.equals(SETTINGS.get(name))) {
          throw new IllegalStateException("PostgreSQL runs with " + name + "=" + value);
        }
        settings.add(name + "=" + value);
      }
      return "PostgreSQL " + show(statement, "server_version") + ", " + String.join(", ", settings);
    }
  }

  private static String show(Statement statement, String name) throws SQLException {
    try (ResultSet row = statement.executeQuery("SHOW " + name)) {
      row.next();
      return row.getString(1);
    }
  }

  /** To its first database, where others are created from. */
  DataSource maintenance() {
    return postgres.getPostgresDatabase();
  }

  /** Without a pool. */
  DataSource database(String name) {
    return postgres.getDatabase("postgres", name);
  }

  @Override
  public String describe() {
    return description;
  }

  @Override
  public long residentBytes() {
    return ProcessUse.residentBytes(postmaster);
  }

  @Override
  public Duration cpuTime() {
    return ProcessUse.cpuTime(postmaster);
  }

  @Override
  public void close() {
    try {
      postgres.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
