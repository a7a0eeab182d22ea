// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.List;

/** A PostgreSQL that is installed here, and a stand-by by streaming replication. */
final class PostgresPair extends DatabasePair {
  private static final String USER = "pocketwatch";

  private final PostgresHome home;

  private PostgresPair(PostgresHome home, Path folder) {
    super(folder);
    this.home = home;
  }

  /**
   * @param synchronous whether a commit waits for the stand-by
   */
  static PostgresPair start(Path folder, boolean synchronous) throws IOException, SQLException {
    PostgresHome home =
        PostgresHome.find(List.of("initdb", "pg_basebackup", "postgres"))
            .orElseThrow(() -> new IllegalStateException("no PostgreSQL is installed here"));
    PostgresPair pair = new PostgresPair(home, folder);
    try {
      pair.begin(synchronous);
      return pair;
    } catch (IOException | SQLException | RuntimeException e) {
      pair.close();
      throw e;
    }
  }

  private void begin(boolean synchronous) throws IOException, SQLException {
    String data = ownFolder("primary");
    PostgresHome.run(
        home.command("initdb", "-D", data, "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C"));
    startPrimary();
    String of = "host=127.0.0.1 user=%s port=%s".formatted(USER, network.port());
    PostgresHome.run(
        home.command(
            "pg_basebackup",
            "-d",
            of,
            "-D",
            ownFolder("standby"),
            "-R",
            "-X",
            "stream",
            "-c",
            "fast"));
    startStandby();
    awaitAnswer("SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'", primaryPort);
    if (synchronous) {
      execute(
          primaryPort,
          "ALTER SYSTEM SET synchronous_standby_names = 'standby'",
          "SELECT pg_reload_conf()");
      awaitAnswer("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'", primaryPort);
    }
  }

  @Override
  String url() {
    return "jdbc:postgresql://127.0.0.1:%s,127.0.0.1:%s/postgres?user=%s&targetServerType=primary"
            .formatted(primaryPort, standbyPort, USER)
        + "&hostRecheckSeconds=1&connectTimeout=5&socketTimeout=20";
  }

  @Override
  String url(int port) {
    return "jdbc:postgresql://127.0.0.1:%s/postgres?user=%s&connectTimeout=5".formatted(port, USER);
  }

  @Override
  List<String> command(String name, int port) {
    return home.command(
        "postgres",
        "-D",
        folder.resolve(name).toString(),
        "-p",
        Integer.toString(port),
        "-c",
        "cluster_name=" + name, // by which a primary knows its stand-by
        "-c",
        "listen_addresses=127.0.0.1",
        "-c",
        "unix_socket_directories=");
  }

  @Override
  void promote() throws SQLException {
    execute(standbyPort, "SELECT pg_promote()");
    awaitAnswer("SELECT 1 WHERE NOT pg_is_in_recovery()", standbyPort);
  }

  /** Whether the stand-by has all that the primary has. */
  boolean replicated() throws SQLException {
    return answers(
        "SELECT 1 FROM pg_stat_replication WHERE flush_lsn = pg_current_wal_insert_lsn()",
        primaryPort);
  }

  private String ownFolder(String name) throws IOException {
    Path data = Files.createDirectory(folder.resolve(name));
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwx------"));
    if (home.user() != null) {
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
      Files.setOwner(
          data,
          data.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(home.user()));
    }
    return data.toString();
  }
}
