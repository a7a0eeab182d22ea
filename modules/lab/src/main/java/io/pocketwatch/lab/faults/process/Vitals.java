// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.process;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * How much a process uses, as it says itself when it is asked.
 *
 * @param millis when it was asked
 * @param pid which life of the process this is
 * @param heapBytes what a full collection left
 * @param threads live ones
 * @param files open files and sockets; 0 where the system does not tell
 */
public record Vitals(long millis, long pid, long heapBytes, int threads, long files) {
  /** A property of the process: the file it writes them to. */
  static final String FILE = "pocketwatch.faults.vitals";

  /** As written by the process. */
  public static Vitals parse(String line) {
    String[] parts = line.split(" ");
    return new Vitals(
        Long.parseLong(parts[0]),
        Long.parseLong(parts[1]),
        Long.parseLong(parts[2]),
        Integer.parseInt(parts[3]),
        Long.parseLong(parts[4]));
  }

  /** Collects the garbage of this process, and says what is left. */
  private static Vitals own() {
    long now = System.currentTimeMillis();
    System.gc();
    return new Vitals(
        now,
        ProcessHandle.current().pid(),
        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
        ManagementFactory.getThreadMXBean().getThreadCount(),
        ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
            ? unix.getOpenFileDescriptorCount()
            : 0);
  }

  /** Writes those of this process where it was told to. */
  static void tell() throws IOException {
    String file = System.getProperty(FILE);
    if (file != null) {
      Files.writeString(
          Path.of(file), own().line() + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
  }

  private String line() {
    return "%s %s %s %s %s".formatted(millis, pid, heapBytes, threads, files);
  }
}
