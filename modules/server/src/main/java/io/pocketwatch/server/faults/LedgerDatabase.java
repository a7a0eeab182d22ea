// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

import io.pocketwatch.server.config.StoreSettings;
import io.pocketwatch.server.screen.CommandFailedException;
import io.pocketwatch.server.screen.ExitCodes;
import io.pocketwatch.server.store.OpenStore;
import io.pocketwatch.store.StoreException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The database of a round: H2 in a process of its own, which can be killed, or one that was given.
 *
 * @param url its JDBC URL
 * @param own the process, or null for a given one
 */
record LedgerDatabase(String url, @Nullable Child own) implements AutoCloseable {
  /** Below the ports of outgoing connections, which could take it while the database is down. */
  private static final int FIRST_PORT = 25_100;

  private static final int LAST_PORT = 25_999;
  private static final Duration START = Duration.ofSeconds(60);

  static LedgerDatabase given(String url) {
    return new LedgerDatabase(url, null);
  }

  /** Starts one whose commits are written before they are answered. */
  static LedgerDatabase start(Path folder) {
    int port = freePort();
    Child process = Child.start(folder, "database", Integer.toString(port), folder.toString());
    String url =
        "jdbc:h2:tcp://127.0.0.1:%d/./ledger;WRITE_DELAY=0;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10000"
            .formatted(port);
    return new LedgerDatabase(url, process);
  }

  /** Opens it, with its tables made, as soon as it answers. */
  OpenStore open() throws InterruptedException {
    long end = System.nanoTime() + START.toNanos();
    while (true) {
      try {
        return OpenStore.create(StoreSettings.at(url, System.getenv()));
      } catch (StoreException e) {
        if (own == null || System.nanoTime() > end) {
          throw e;
        }
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
  }

  private static int freePort() {
    for (int attempt = 0; attempt < 100; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT + 1);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (IOException e) {
        // taken
      }
    }
    throw new CommandFailedException(
        ExitCodes.FAILED,
        "no free port between %d and %d for the database".formatted(FIRST_PORT, LAST_PORT));
  }

  @Override
  public void close() {
    if (own != null) {
      own.close();
    }
  }
}
