// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A MariaDB that is installed here, and a replica. */
final class MariaDbPair extends DatabasePair {
  private static final String DATABASE = "pocketwatch";

  private MariaDbPair(Path folder) {
    super(folder);
  }

  /**
   * @param synchronous whether a commit waits for the replica
   */
  static MariaDbPair start(Path folder, boolean synchronous) throws IOException, SQLException {
    MariaDbPair pair = new MariaDbPair(folder);
    try {
      pair.begin(synchronous);
      return pair;
    } catch (IOException | SQLException | RuntimeException e) {
      pair.close();
      throw e;
    }
  }

  private void begin(boolean synchronous) throws IOException, SQLException {
    for (String each : List.of("primary", "standby")) {
      List<String> install = new ArrayList<>();
      install.add(program("mariadb-install-db"));
      install.add("--no-defaults");
      install.add("--datadir=" + folder.resolve(each));
      install.add("--auth-root-authentication-method=normal");
      install.addAll(asOurselves());
      PostgresHome.run(install);
    }
    startPrimary();
    startStandby();
    execute(
        standbyPort,
        "SET GLOBAL rpl_semi_sync_slave_enabled = " + (synchronous ? "ON" : "OFF"),
        "CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = %s, MASTER_USER = 'root',"
                .formatted(network.port())
            + " MASTER_USE_GTID = slave_pos",
        "START SLAVE");
    if (synchronous) {
      execute(
          primaryPort,
          "SET GLOBAL rpl_semi_sync_master_timeout = 3600000",
          "SET GLOBAL rpl_semi_sync_master_wait_point = 'AFTER_SYNC'",
          "SET GLOBAL rpl_semi_sync_master_enabled = ON");
      awaitAnswer(
          "SELECT 1 FROM information_schema.global_status"
              + " WHERE variable_name = 'RPL_SEMI_SYNC_MASTER_CLIENTS' AND variable_value = '1'",
          primaryPort);
    }
    execute(primaryPort, "CREATE DATABASE " + DATABASE);
    awaitAnswer(
        "SELECT 1 FROM information_schema.schemata WHERE schema_name = '" + DATABASE + "'",
        standbyPort);
  }

  @Override
  String url() {
    return "jdbc:mariadb:sequential://127.0.0.1:%s,127.0.0.1:%s/%s?user=root&connectTimeout=5000"
        .formatted(primaryPort, standbyPort, DATABASE);
  }

  @Override
  String url(int port) {
    return "jdbc:mariadb://127.0.0.1:%s/?user=root&connectTimeout=5000".formatted(port);
  }

  @Override
  List<String> command(String name, int port) {
    List<String> command = new ArrayList<>();
    command.add(program("mariadbd"));
    command.add("--no-defaults");
    command.add("--datadir=" + folder.resolve(name));
    command.add("--socket=" + folder.resolve(name + ".sock"));
    command.add("--port=" + port);
    command.add("--bind-address=127.0.0.1");
    command.add("--server-id=" + port);
    command.add("--log-bin=binlog");
    command.add("--binlog-format=ROW");
    command.add("--sync-binlog=1");
    command.add("--log-slave-updates");
    command.addAll(asOurselves());
    return command;
  }

  /** When it has done all that it has been told. */
  @Override
  void promote() throws SQLException {
    execute(standbyPort, "STOP SLAVE IO_THREAD");
    awaitAnswer(
        "SELECT 1 FROM information_schema.processlist WHERE state LIKE '%read all relay log%'",
        standbyPort);
    execute(standbyPort, "STOP SLAVE", "RESET SLAVE ALL");
  }

  private static List<String> asOurselves() {
    return "root".equals(System.getProperty("user.name")) ? List.of("--user=root") : List.of();
  }

  private static String program(String name) {
    return Stream.of("/usr/sbin", "/usr/bin", "/usr/local/bin")
        .map(each -> Path.of(each, name))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no MariaDB is installed here: " + name))
        .toString();
  }
}
