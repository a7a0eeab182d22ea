// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.database;

import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The programs of a PostgreSQL that is installed here, and how to run them.
 *
 * @param bin the folder of {@code initdb}, {@code postgres} and {@code pg_ctl}
 * @param version as it says itself
 * @param user whose they run as, or null for our own; they refuse to be root's
 * @param prefix what leaves root, before each command
 */
public record PostgresHome(Path bin, String version, @Nullable String user, List<String> prefix) {
  private static final List<String> PROGRAMS = List.of("initdb", "postgres", "pg_ctl");
  private static final List<String> USERS = List.of("postgres", "nobody");
  private static final Path DEBIAN = Path.of("/usr/lib/postgresql");
  private static final Pattern NUMBER = Pattern.compile("\\d{1,4}");
  private static final int PATIENCE_SECONDS = 60;

  /** The first on the path, else Debian's newest, if one runs. */
  public static Optional<PostgresHome> find() {
    return find(PROGRAMS);
  }

  /** The same, of those that have these programs. */
  static Optional<PostgresHome> find(List<String> programs) {
    List<Path> folders = new ArrayList<>();
    for (String each : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
      if (!each.isEmpty()) {
        folders.add(Path.of(each));
      }
    }
    folders.addAll(debian());
    return folders.stream()
        .filter(bin -> programs.stream().allMatch(name -> Files.isExecutable(bin.resolve(name))))
        .flatMap(bin -> running(bin).stream())
        .findFirst();
  }

  private static List<Path> debian() {
    List<Path> versions = new ArrayList<>();
    if (Files.isDirectory(DEBIAN)) {
      try (DirectoryStream<Path> all = Files.newDirectoryStream(DEBIAN)) {
        all.forEach(versions::add);
      } catch (IOException e) {
        return List.of(); // as good as none
      }
    }
    return versions.stream()
        .filter(path -> NUMBER.matcher(path.getFileName().toString()).matches())
        .sorted(
            Comparator.comparingInt((Path path) -> Integer.parseInt(path.getFileName().toString()))
                .reversed())
        .map(path -> path.resolve("bin"))
        .toList();
  }

  private static Optional<PostgresHome> running(Path bin) {
    if (!"root".equals(System.getProperty("user.name"))) {
      return version(bin, List.of()).map(it -> new PostgresHome(bin, it, null, List.of()));
    }
    for (String user : USERS) {
      for (List<String> prefix : prefixes(user)) {
        Optional<String> version = version(bin, prefix);
        if (version.isPresent()) {
          return Optional.of(new PostgresHome(bin, version.get(), user, prefix));
        }
      }
    }
    return Optional.empty();
  }

  /** Ways to become a user, of which a small image may have none. */
  private static List<List<String>> prefixes(String user) {
    return List.of(
        List.of("setpriv", "--reuid=" + user, "--regid=" + user, "--clear-groups", "--"),
        List.of("setpriv", "--reuid=" + user, "--clear-groups", "--regid=nogroup", "--"),
        List.of("runuser", "-u", user, "--"));
  }

  private static Optional<String> version(Path bin, List<String> prefix) {
    try {
      String words = run(command(prefix, bin, "postgres", "--version"));
      return Optional.of(words.strip().replace("postgres (PostgreSQL) ", ""));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** One of the programs with its arguments. */
  List<String> command(String program, String... arguments) {
    return command(prefix, bin, program, arguments);
  }

  private static List<String> command(
      List<String> prefix, Path bin, String program, String... arguments) {
    List<String> command = new ArrayList<>(prefix);
    command.add(bin.resolve(program).toString());
    command.addAll(List.of(arguments));
    return command;
  }

  /**
   * Runs a command to its end.
   *
   * @return what it said
   * @throws IOException if it failed, with what it said
   */
  static String run(List<String> command) throws IOException {
    Path said = Files.createTempFile("pocketwatch-faults", ".txt");
    try {
      // Its standard folder must be one that the other user may enter.
      Process process =
          new ProcessBuilder(command)
              .directory(new File("/"))
              .redirectErrorStream(true)
              .redirectOutput(said.toFile())
              .start();
      boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (!ended) {
        process.destroyForcibly();
      }
      String words = Files.readString(said);
      if (!ended || process.exitValue() != 0) {
        throw new IOException(String.join(" ", command) + ": " + words.strip());
      }
      return words;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      Files.delete(said);
    }
  }
}
