// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.demo;

import io.pocketwatch.route.DelayRoutes;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A configuration and where it was read.
 *
 * @param file the file
 * @param routes what it says
 */
record ConfigurationFile(Path file, DelayRoutes routes) {
  private static final Path UNDER_HOME = Path.of("config", "pocketwatch.yml");

  /**
   * Reads the given file, or the one of this installation.
   *
   * @throws io.pocketwatch.route.InvalidConfigurationException if it is not there or not right
   */
  static ConfigurationFile load(@Nullable Path given) {
    Path file = given == null ? home().resolve(UNDER_HOME) : given;
    return new ConfigurationFile(file, DelayRoutes.load(file));
  }

  private static Path home() {
    return Optional.ofNullable(System.getProperty("pocketwatch.home"))
        .or(() -> Optional.ofNullable(System.getenv("POCKETWATCH_HOME")))
        .map(Path::of)
        .orElse(Path.of(""));
  }
}
