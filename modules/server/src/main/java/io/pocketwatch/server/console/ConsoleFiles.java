// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.webjars.WebJarVersionLocator;

/** The files of the page, read once from the jar. */
final class ConsoleFiles {
  private static final Pattern NAME = Pattern.compile("([a-z]+/)?[a-z]+(-[a-z]+)*\\.[a-z]+");

  /** Paths of libraries in their WebJars, by our names. */
  private static final Map<String, String> LIBRARIES = Map.of("lib/chart.js", library());

  private final Map<String, ConsoleFile> read = new ConcurrentHashMap<>();

  /**
   * @param name below {@code console/}
   */
  Optional<ConsoleFile> find(String name) {
    String type = ConsoleFile.type(name);
    if (type == null || !NAME.matcher(name).matches()) {
      return Optional.empty();
    }
    return Optional.ofNullable(read.computeIfAbsent(name, each -> read(each, type)));
  }

  private static @Nullable ConsoleFile read(String name, String type) {
    String library = LIBRARIES.get(name);
    try (InputStream in =
        library == null
            ? ConsoleFiles.class.getResourceAsStream(name)
            : ConsoleFiles.class.getClassLoader().getResourceAsStream(library)) {
      return in == null ? null : ConsoleFile.of(in.readAllBytes(), type);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String library() {
    return Objects.requireNonNull(
        new WebJarVersionLocator().fullPath("chart.js", "dist/chart.umd.min.js"),
        "the jar was built without chart.js");
  }
}
