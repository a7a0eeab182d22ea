// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import io.pocketwatch.server.config.ConfigurationFile;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --config}, for commands that need the configuration. */
public final class ConfigOption {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "The configuration; default config/pocketwatch.yml of this" + " installation.")
  private @Nullable Path file;

  /** Reads the configuration, without its schedules. */
  public ConfigurationFile load() {
    return ConfigurationFile.load(file);
  }

  /**
   * Reads the whole configuration.
   *
   * @param secrets whether each secret that it names must be there
   * @param ownStore whether a store may come from elsewhere than this file
   */
  public ConfigurationFile loadAll(boolean secrets, boolean ownStore) {
    return ConfigurationFile.loadAll(file, secrets, ownStore);
  }
}
