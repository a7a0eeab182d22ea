// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.database;

import io.pocketwatch.lab.faults.process.Child;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.server.config.StoreSettings;
import io.pocketwatch.server.store.OpenStore;
import io.pocketwatch.store.StoreException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The database of a round.
 *
 * @param url its JDBC URL
 * @param own the process, or null for a given one
 * @param fault what is done to it
 */
public record LedgerDatabase(String url, @Nullable Child own, DatabaseFault fault)
    implements AutoCloseable {
  /** Below the ports of outgoing connections, which could take it while the database is down. */
  private static final int FIRST_PORT = 25_100;

  private static final int LAST_PORT = 25_999;
  private static final Duration START = Duration.ofSeconds(60);

  /** Opens it, with its tables made, as soon as it answers. */
  public OpenStore open() throws InterruptedException {
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

  /** Does to it what its fault is, and starts it again. */
  public void disturb() {
    if (fault == DatabaseFault.KILLED) {
      ownProcess().killAndStart();
    } else {
      ownProcess().stopAndStart();
    }
  }

  /** Freezes it, with all its processes: its connections stay, nothing answers. */
  public void pause() {
    ownProcess().pause();
  }

  /** Lets it go on. */
  public void resume() {
    ownProcess().resume();
  }

  private Child ownProcess() {
    if (own == null) {
      throw new IllegalStateException("a given database is left alone");
    }
    return own;
  }

  /** How often it ended by itself. */
  public int ownEnds() {
    return own == null ? 0 : own.ownEnds();
  }

  static int freePort() {
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
        "no free port between %s and %s for the database".formatted(FIRST_PORT, LAST_PORT));
  }

  @Override
  public void close() {
    if (own != null) {
      own.close();
    }
  }
}
