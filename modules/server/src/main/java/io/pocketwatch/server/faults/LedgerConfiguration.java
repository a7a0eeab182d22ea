// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

import io.pocketwatch.screen.Json;
import io.pocketwatch.server.config.ConfigurationFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * The configuration that all processes of a round read. The horizon is a few seconds, so that most
 * messages wait in the database and go through a loader; leases are short, so that whoever is
 * killed is soon replaced.
 */
final class LedgerConfiguration {
  private static final String TEXT =
      """
      pocketwatch:
        name-prefix: faults-hold
        routes:
      %s
        wheel:
          max-delay: 90s
          hands: [10s, 1s, 100ms, 10ms]
        publisher:
          confirm-timeout: 10s
        loader:
          every: 4s
          lead: 2s
          sweep: 1s
          lease: 10s
          grace: 20s
        store:
          url: %s
        server:
          port: 0
      """;

  private LedgerConfiguration() {}

  /** Writes it for a store, whose password is left to the environment, and reads it. */
  static ConfigurationFile write(Path folder, String url) throws IOException {
    Path file = folder.resolve("pocketwatch.yml");
    String routes =
        Arrays.stream(LedgerRoute.values()).map(LedgerRoute::yaml).collect(Collectors.joining());
    Files.writeString(file, TEXT.formatted(routes, Json.line(url)));
    return ConfigurationFile.load(file);
  }
}
