// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.database;

import io.pocketwatch.lab.faults.process.Child;
import io.pocketwatch.lab.faults.process.FaultProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/** A private PostgreSQL with the settings it comes with, also those of durability. */
public record PostgresSource(PostgresHome home) implements DatabaseSource {
  private static final String SUPERUSER = "pocketwatch";

  @Override
  public LedgerDatabase start(Path folder) throws IOException {
    Path data = ownFolder(folder);
    String place = data.toString();
    String run =
        PostgresHome.run(
            home.command(
                "initdb", "-D", place, "-U", SUPERUSER, "-A", "trust", "-E", "UTF8", "--locale=C"));
    Files.writeString(folder.resolve("initdb.log"), run);
    int port = LedgerDatabase.freePort();
    List<String> arguments = new ArrayList<>(List.of(FaultProcess.POSTGRESQL));
    List<String> stop = home.command("pg_ctl", "stop", "-D", place, "-m", "immediate", "-s");
    arguments.add(Integer.toString(stop.size()));
    arguments.addAll(stop);
    arguments.addAll(
        home.command(
            "postgres",
            "-D",
            place,
            "-p",
            Integer.toString(port),
            "-c",
            "listen_addresses=127.0.0.1",
            "-c",
            "unix_socket_directories="));
    Child process = Child.start(folder, arguments.toArray(String[]::new));
    String url = "jdbc:postgresql://127.0.0.1:%s/postgres?user=%s".formatted(port, SUPERUSER);
    return new LedgerDatabase(url, process, fault());
  }

  /** Another user's, in a folder that is ours: that user must get through. */
  private Path ownFolder(Path folder) throws IOException {
    Path data = Files.createDirectory(folder.resolve("postgresql"));
    if (home.user() != null) {
      for (Path each : List.of(folder, folder.toAbsolutePath().getParent())) {
        Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rwx--x--x"));
      }
      Files.setOwner(
          data,
          data.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(home.user()));
    }
    return data;
  }

  @Override
  public DatabaseFault fault() {
    return DatabaseFault.KILLED;
  }

  @Override
  public String words() {
    return "The database is a private PostgreSQL %s, which is killed.".formatted(home.version());
  }
}
