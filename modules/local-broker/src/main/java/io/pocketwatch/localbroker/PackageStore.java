// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The kept copy of one suite's RabbitMQ: {@code debs} with the downloaded packages, {@code sys}
 * with what they hold. Each is marked complete only when it is, so a broken download or a killed
 * JVM costs no more than the file it was at. One process at a time works on it.
 */
final class PackageStore {

  /** Guards against threads of this JVM; a file lock is held by a whole JVM. */
  private static final ReentrantLock IN_JVM = new ReentrantLock();

  private static final String COMPLETE = ".complete";

  private final Environment base;
  private final DebianSuite suite;
  private final Path folder;

  PackageStore(Environment base, DebianSuite suite) {
    this.base = base;
    this.suite = suite;
    this.folder = base.cacheFolder().resolve("rabbitmq").resolve(suite.label());
  }

  /**
   * The programs, fetched and unpacked first where needed.
   *
   * @param settableClock whether to fetch the library that sets the clock, too
   */
  RabbitHome home(boolean settableClock, Consumer<String> listener) throws IOException {
    if (folder.toString().matches(".*\\s.*")) {
      throw new IOException("RabbitMQ's scripts do not stand blanks in a folder's name: " + folder);
    }
    Files.createDirectories(folder);
    IN_JVM.lock();
    try (FileChannel channel =
            FileChannel.open(
                folder.resolve(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var lock = channel.lock()) {
      Path system = folder.resolve("sys");
      if (!lock.isValid() || !completeHere(system)) {
        Path packages = folder.resolve("debs");
        if (!Files.exists(packages.resolve(COMPLETE))) {
          listener.accept(
              "Downloading RabbitMQ from Debian " + suite.label() + " (about 50 MB, once)");
          new PackageDownload(base, suite, folder)
              .into(packages, "rabbitmq-server", PackageDownload.RABBITMQ);
          Files.createFile(packages.resolve(COMPLETE));
        }
        listener.accept("Unpacking RabbitMQ from Debian " + suite.label());
        unpack(packages, system);
      }
      UnpackedSystem unpacked = new UnpackedSystem(system);
      return settableClock ? withClock(unpacked, listener) : unpacked.home();
    } finally {
      IN_JVM.unlock();
    }
  }

  /** In a folder of its own: running nodes use the other. */
  private RabbitHome withClock(UnpackedSystem unpacked, Consumer<String> listener)
      throws IOException {
    Path clock = folder.resolve("clock");
    SettableClock settable = new SettableClock(clock);
    if (!completeHere(clock)) {
      listener.accept("Downloading libfaketime from Debian " + suite.label() + " (once)");
      new NodeFolder(clock).delete();
      Path packages = Files.createDirectories(clock.resolve("debs"));
      new PackageDownload(base, suite, folder).into(packages, "libfaketime", SettableClock.PACKAGE);
      unpackAll(packages, clock);
      settable.link(unpacked);
      Files.writeString(clock.resolve(COMPLETE), clock.toString());
    }
    return settable.home(unpacked.home());
  }

  /** The marker holds the folder's name: the start scripts in a moved copy point elsewhere. */
  private static boolean completeHere(Path system) throws IOException {
    Path marker = system.resolve(COMPLETE);
    return Files.exists(marker) && Files.readString(marker).equals(system.toString());
  }

  private static void unpack(Path packages, Path system) throws IOException {
    new NodeFolder(system).delete();
    Files.createDirectories(system);
    unpackAll(packages, system);
    new UnpackedSystem(system).makeRunnable();
    Files.writeString(system.resolve(COMPLETE), system.toString());
  }

  private static void unpackAll(Path packages, Path system) throws IOException {
    try (Stream<Path> files = Files.list(packages)) {
      List<Path> archives =
          files.filter(file -> file.toString().endsWith(".deb")).sorted().toList();
      for (Path archive : archives) {
        Command.Result result =
            Command.of("dpkg", "-x", archive.toString(), system.toString())
                .run(PackageDownload.LIMIT);
        if (!result.ok()) {
          // The file passed apt's check when it was fetched, so it broke since: fetch it again.
          Files.deleteIfExists(packages.resolve(COMPLETE));
          Files.deleteIfExists(archive);
          throw new IOException("cannot unpack " + archive + ": " + result.lastWords());
        }
      }
    }
  }
}
