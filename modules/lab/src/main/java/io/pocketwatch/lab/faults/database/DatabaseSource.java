// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.database;

import java.io.IOException;
import java.nio.file.Path;

/** Where the database of each round comes from. */
public interface DatabaseSource {
  /**
   * Starts one, or says where the given one is.
   *
   * @param folder of the round; files go there
   */
  LedgerDatabase start(Path folder) throws IOException;

  DatabaseFault fault();

  /** A sentence for the person who watches. */
  String words();
}
