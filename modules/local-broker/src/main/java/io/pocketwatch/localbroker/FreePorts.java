// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Picks free loopback ports, each once among the JVMs of a user. They lie below the range the
 * kernel hands out for outgoing connections. A node that restarts must find its port free. A client
 * that dials a closed port within that range can end up connected to itself.
 *
 * <p>A port looks free while its node starts, or is down for a while. So each that is handed out is
 * locked until it is given back: one byte of one file, which the system drops with the process.
 */
final class FreePorts {

  /** The address nodes listen on, written out: with IPv6 preferred, a JVM's loopback is another. */
  static final String HOST = "127.0.0.1";

  private static final int FIRST = 20_000;
  private static final int LAST = 31_999;
  private static final int ATTEMPTS = 2_000;

  /** Never closed: closing any channel to the file would drop all locks this process has on it. */
  private static final @Nullable FileChannel LOCKS = open();

  /** Ports with their locks, which are empty if there is no file to lock. */
  private static final Map<Integer, Optional<FileLock>> HANDED_OUT = new HashMap<>();

  private final int first;
  private final int last;

  private FreePorts(int first, int last) {
    this.first = first;
    this.last = last;
  }

  static FreePorts of(Environment environment) {
    return environment
        .get(Environment.PORTS)
        .map(FreePorts::parse)
        .orElseGet(() -> new FreePorts(FIRST, LAST));
  }

  private static FreePorts parse(String range) {
    if (!range.matches("\\d{1,5}-\\d{1,5}")) {
      throw new IllegalArgumentException(
          Environment.PORTS + "=" + range + " is not a range such as 21000-21999");
    }
    int dash = range.indexOf('-');
    int first = Integer.parseInt(range.substring(0, dash));
    int last = Integer.parseInt(range.substring(dash + 1));
    if (first < 1 || last > 65_535 || last < first) {
      throw new IllegalArgumentException(
          Environment.PORTS + "=" + range + " is not within 1-65535, lower bound first");
    }
    return new FreePorts(first, last);
  }

  /** The preferred port if it is free, else another one; 0 prefers none. */
  int next(int preferred) {
    synchronized (HANDED_OUT) {
      if (preferred > 0 && take(preferred)) {
        return preferred;
      }
      for (int i = 0; i < ATTEMPTS; i++) {
        int port = ThreadLocalRandom.current().nextInt(first, last + 1);
        if (take(port)) {
          return port;
        }
      }
    }
    throw new BrokerControlException(
        "no free port between "
            + first
            + " and "
            + last
            + "; "
            + Environment.PORTS
            + " names the range");
  }

  static void giveBack(int port) {
    synchronized (HANDED_OUT) {
      Optional<FileLock> lock = HANDED_OUT.getOrDefault(port, Optional.empty());
      HANDED_OUT.remove(port);
      try {
        if (lock.isPresent()) {
          lock.get().release();
        }
      } catch (IOException e) {
        throw new BrokerControlException("cannot give back port " + port, e);
      }
    }
  }

  private static boolean take(int port) {
    if (HANDED_OUT.containsKey(port)) {
      return false;
    }
    Optional<FileLock> lock = Optional.empty();
    try {
      if (LOCKS != null) {
        lock = Optional.ofNullable(LOCKS.tryLock(port, 1, false));
        if (lock.isEmpty()) {
          return false; // another JVM keeps it
        }
      }
    } catch (OverlappingFileLockException e) {
      return false; // the same class under another class loader keeps it
    } catch (IOException e) {
      // a file system without locks: any process may get any port
    }
    HANDED_OUT.put(port, lock);
    if (free(port)) {
      return true;
    }
    giveBack(port);
    return false;
  }

  private static @Nullable FileChannel open() {
    String name = "pocketwatch-ports-" + System.getProperty("user.name") + ".lock";
    try {
      return FileChannel.open(
          Path.of(System.getProperty("java.io.tmpdir"), name),
          StandardOpenOption.CREATE,
          StandardOpenOption.WRITE);
    } catch (IOException e) {
      return null; // without a file to lock, any process may get any port
    }
  }

  /**
   * Whether a node could listen on the port: only a listener that includes {@link #HOST} prevents
   * it. The port is bound, but not listened on: a client that dials it just then must not get in.
   */
  static boolean free(int port) {
    try (Socket socket = new Socket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(HOST, port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
