// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.driver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Files of a run: databases, logs. Deleted in the end, also by Ctrl-C, unless something went wrong.
 */
public final class RunFolder implements AutoCloseable {
  private static final int ATTEMPTS = 10;

  private final Path path;
  private final Thread hook = new Thread(this::deleteAtEnd, "pocketwatch-faults-end");
  private volatile boolean kept;

  private RunFolder(Path path) {
    this.path = path;
  }

  public static RunFolder create() throws IOException {
    RunFolder folder = new RunFolder(Files.createTempDirectory("pocketwatch-faults"));
    Runtime.getRuntime().addShutdownHook(folder.hook);
    return folder;
  }

  Path ofArena(int number) throws IOException {
    return Files.createDirectories(path.resolve("arena-" + number));
  }

  /** Leaves it there, and says where. */
  public Path keep() {
    kept = true;
    return path;
  }

  private void deleteAtEnd() {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        delete(path);
        return;
      } catch (IOException | UncheckedIOException e) {
        // Processes that are ending too still write into it.
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
      }
    }
  }

  private static void delete(Path root) throws IOException {
    if (!Files.exists(root)) {
      return;
    }
    List<Path> inside;
    try (Stream<Path> walk = Files.walk(root)) {
      inside = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path each : inside) {
      Files.deleteIfExists(each);
    }
  }

  @Override
  public void close() throws IOException {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      return; // the JVM is ending, and the hook deletes
    }
    if (!kept) {
      delete(path);
    }
  }
}
