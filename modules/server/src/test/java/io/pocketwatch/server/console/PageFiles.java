// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.console;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The files of the page as they lie in the sources. */
final class PageFiles {
  private PageFiles() {}

  /** By their names below {@code console/}. */
  static Map<String, String> all() {
    try {
      Path folder =
          Path.of(Objects.requireNonNull(Console.class.getResource("index.html")).toURI())
              .getParent();
      Map<String, String> files = new TreeMap<>();
      try (Stream<Path> walk = Files.walk(folder)) {
        for (Path each : walk.filter(Files::isRegularFile).toList()) {
          String name = folder.relativize(each).toString().replace('\\', '/');
          if (!name.endsWith(".class")) {
            files.put(name, Files.readString(each));
          }
        }
      }
      return files;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }
}
