// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A configuration and where it was read.
 *
 * @param file the file
 * @param routes what it says about messages
 * @param store where they are stored, if anywhere
 * @param server where {@code serve} listens
 */
public record ConfigurationFile(
    Path file, DelayRoutes routes, Optional<StoreSettings> store, ServerSettings server) {
  private static final Path UNDER_HOME = Path.of("config", "pocketwatch.yml");
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

  /**
   * Reads the given file, or the one of this installation.
   *
   * @throws io.pocketwatch.config.InvalidConfigurationException if it is not there or not right
   * @throws CommandFailedException if a section of ours is not right
   */
  public static ConfigurationFile load(@Nullable Path given) {
    return load(given == null ? home().resolve(UNDER_HOME) : given, System.getenv());
  }

  static ConfigurationFile load(Path file, Map<String, String> environment) {
    DelayRoutes routes = DelayRoutes.load(file); // refuses whatever is no sound YAML
    String source = file.toString();
    JsonNode top = tree(file).path("pocketwatch");
    return new ConfigurationFile(
        file,
        routes,
        StoreSettings.read(
            new ConfigurationSection(source, "store", top.path("store")), environment),
        ServerSettings.read(
            new ConfigurationSection(source, "server", top.path("server")), routes));
  }

  /**
   * The store's settings.
   *
   * @throws CommandFailedException if there are none: no store is ever chosen silently
   */
  public StoreSettings requireStore() {
    return store.orElseThrow(
        () ->
            new CommandFailedException(
                ExitCodes.USAGE,
                file
                    + ": pocketwatch.store.url: there is no store, and this command needs one;"
                    + " write for example jdbc:postgresql://127.0.0.1:5432/pocketwatch"));
  }

  private static JsonNode tree(Path file) {
    try {
      return YAML.readTree(file.toFile());
    } catch (IOException e) {
      throw new CommandFailedException(
          ExitCodes.USAGE, file + ": changed while it was read; try again", e);
    }
  }

  private static Path home() {
    return Optional.ofNullable(System.getProperty("pocketwatch.home"))
        .or(() -> Optional.ofNullable(System.getenv("POCKETWATCH_HOME")))
        .map(Path::of)
        .orElse(Path.of(""));
  }
}
