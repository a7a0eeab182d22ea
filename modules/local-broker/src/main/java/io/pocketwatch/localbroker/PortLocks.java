// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a port from the other JVMs of the same user, until it is given back or this JVM ends. A
 * port looks free while its node starts, or is down for a while. Two test runs side by side would
 * now and then give the same one to two nodes.
 *
 * <p>The lock of a port is that of one byte of one file. The system drops it with the process.
 */
final class PortLocks {

  private static final @Nullable FileChannel FILE = open();
  private static final Map<Integer, FileLock> HELD = new HashMap<>();

  private PortLocks() {}

  /** False if another JVM keeps the port. Without a file to lock everybody gets every port. */
  static synchronized boolean take(int port) {
    if (FILE == null) {
      return true;
    }
    try {
      FileLock lock = FILE.tryLock(port, 1, false);
      if (lock != null) {
        HELD.put(port, lock);
      }
      return lock != null;
    } catch (OverlappingFileLockException e) {
      return false; // the same class under another class loader keeps it
    } catch (IOException e) {
      return true; // a file system without locks
    }
  }

  static synchronized void giveBack(int port) {
    FileLock lock = HELD.remove(port);
    try {
      if (lock != null) {
        lock.release();
      }
    } catch (IOException e) {
      throw new BrokerControlException("cannot give back port " + port, e);
    }
  }

  /** Never closed: closing any channel to the file would drop all locks this process has on it. */
  private static @Nullable FileChannel open() {
    String name = "pocketwatch-ports-" + System.getProperty("user.name") + ".lock";
    try {
      return FileChannel.open(
          Path.of(System.getProperty("java.io.tmpdir"), name),
          StandardOpenOption.CREATE,
          StandardOpenOption.WRITE);
    } catch (IOException e) {
      return null;
    }
  }
}
