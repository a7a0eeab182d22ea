// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import io.pocketwatch.server.config.ConfigurationFile;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --config} for whatever needs the store. */
public final class ConfigOption {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "The configuration; default config/pocketwatch.yml of this" + " installation.")
  private @Nullable Path file;

  /** Reads it. */
  public ConfigurationFile load() {
    return ConfigurationFile.load(file);
  }

  /**
   * Reads all of it.
   *
   * @param secrets whether each secret that it names must be there
   * @param ownStore whether something else than this file may give a store
   */
  public ConfigurationFile loadAll(boolean secrets, boolean ownStore) {
    return ConfigurationFile.loadAll(file, secrets, ownStore);
  }
}
