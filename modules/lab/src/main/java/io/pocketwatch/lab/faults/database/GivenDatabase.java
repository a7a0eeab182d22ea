// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.database;

import java.nio.file.Path;

/**
 * A database that somebody else runs.
 *
 * @param url its JDBC URL
 */
public record GivenDatabase(String url) implements DatabaseSource {
  @Override
  public LedgerDatabase start(Path folder) {
    return new LedgerDatabase(url, null, fault());
  }

  @Override
  public DatabaseFault fault() {
    return DatabaseFault.NONE;
  }

  @Override
  public String words() {
    return "The database is a given one and is not killed.";
  }
}
