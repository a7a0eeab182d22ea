// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.config;

import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.InvalidConfigurationException;
import io.pocketwatch.schedule.Schedule;
import io.pocketwatch.schedule.Schedules;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A configuration and where it was read.
 *
 * @param file the file
 * @param routes the routes, and how messages are held, published and loaded
 * @param schedules its schedules, if they were read
 * @param store the settings of the store, if there is one
 * @param server where {@code serve} listens
 */
public record ConfigurationFile(
    Path file,
    DelayRoutes routes,
    List<Schedule> schedules,
    Optional<StoreSettings> store,
    ServerSettings server) {
  private static final Path UNDER_HOME = Path.of("config", "pocketwatch.yml");

  public ConfigurationFile {
    schedules = List.copyOf(schedules);
  }

  /**
   * Reads the given file, or the one of this installation, but for its schedules.
   *
   * @throws InvalidConfigurationException if it is not there, or with all that is not right
   */
  public static ConfigurationFile load(@Nullable Path given) {
    return load(file(given), System.getenv(), false, false, true);
  }

  /**
   * Reads the whole configuration, with the files that schedules name.
   *
   * @param secrets whether each secret that it names must be there
   * @throws InvalidConfigurationException if it is not there, or with all that is not right
   */
  public static ConfigurationFile loadAll(@Nullable Path given, boolean secrets) {
    return loadAll(given, secrets, true);
  }

  /**
   * As {@link #loadAll(Path, boolean)}, for commands that start nothing.
   *
   * @param ownStore whether something else than this file may give a store; without, a tracked
   *     route without {@code store} is refused
   * @throws InvalidConfigurationException if it is not there, or with all that is not right
   */
  public static ConfigurationFile loadAll(@Nullable Path given, boolean secrets, boolean ownStore) {
    return load(file(given), System.getenv(), true, secrets, ownStore);
  }

  static ConfigurationFile load(
      Path file,
      Map<String, String> environment,
      boolean schedules,
      boolean secrets,
      boolean ownStore) {
    return DelayRoutes.load(
        file,
        (routes, top) -> {
          if (!ownStore && top.find("store") == null) {
            routes.refuseTracked(top);
          }
          Reading reading = new Reading(routes, environment, secrets);
          Optional<List<Schedule>> recurring =
              schedules
                  ? top.read("schedules", section -> Schedules.read(section, routes))
                  : Optional.empty();
          return new ConfigurationFile(
              file,
              routes,
              recurring.orElse(List.of()),
              top.read("store", section -> StoreSettings.read(section, environment)),
              top.read("server", section -> ServerSettings.read(section, reading))
                  .orElse(ServerSettings.usual(ServerSettings.USUAL_PORT)));
        });
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

  private static Path file(@Nullable Path given) {
    return given == null ? home().resolve(UNDER_HOME) : given;
  }

  private static Path home() {
    return Optional.ofNullable(System.getProperty("pocketwatch.home"))
        .or(() -> Optional.ofNullable(System.getenv("POCKETWATCH_HOME")))
        .map(Path::of)
        .orElse(Path.of(""));
  }
}
