// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.database;

import io.pocketwatch.lab.faults.process.Child;
import io.pocketwatch.lab.faults.process.FaultProcess;
import java.nio.file.Path;

/**
 * H2 in a process of its own. Killed, it has been seen to forget what it had committed in the last
 * milliseconds, whatever its options. So it is restarted in an orderly way instead.
 */
public record H2Source() implements DatabaseSource {
  @Override
  public LedgerDatabase start(Path folder) {
    int port = LedgerDatabase.freePort();
    Child process = Child.start(folder, FaultProcess.H2, Integer.toString(port), folder.toString());
    String url =
        "jdbc:h2:tcp://127.0.0.1:%s/./ledger;WRITE_DELAY=0;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10000"
            .formatted(port);
    return new LedgerDatabase(url, process, fault());
  }

  @Override
  public DatabaseFault fault() {
    return DatabaseFault.RESTARTED;
  }

  @Override
  public String words() {
    return "The database is H2, which is restarted, not killed: it would forget commits.";
  }
}
