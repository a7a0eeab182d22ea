// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.driver;

import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.lab.faults.account.Lane;
import io.pocketwatch.screen.Json;
import io.pocketwatch.server.config.ConfigurationFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Collectors;

/**
 * The configuration that all processes of a run read. The horizon is a few seconds, so that most
 * tracked messages wait in the database and go through a loader. Leases are short, so that whoever
 * is killed is soon replaced.
 */
final class Setting {
  /** How long the store waits for what is due before it has been overtaken. */
  static final Duration GRACE = Duration.ofSeconds(20);

  private static final String TEXT =
      """
      pocketwatch:
        name-prefix: faults-hold
        routes:
      %s
        wheel:
          max-delay: 90s
          hands: [10s, 1s, 100ms, 10ms]
          %s
        ttl-queues: {%s}
        temporary-queues: {%s, linger: %ss}
        native: %s
        publisher:
          confirm-timeout: 10s
        loader:
          every: 4s
          lead: 2s
          sweep: 1s
          lease: 10s
          grace: %ss
          retention: %ss
        store:
          url: %s
        server:
          port: 0
      """;

  private Setting() {}

  /** Writes it for a store, whose password is left to the environment, and reads it. */
  static ConfigurationFile write(Path folder, String url, Ground ground) throws IOException {
    Path file = folder.resolve("pocketwatch.yml");
    String routes = Lane.ALL.stream().map(Lane::yaml).collect(Collectors.joining());
    boolean quorum = ground.hold() == HoldQueueType.QUORUM;
    String type = quorum ? "queue-type: quorum" : "queue-type: classic, accept-loss: true";
    String lines = type.replace(", ", "\n    ");
    Files.writeString(
        file,
        TEXT.formatted(
            routes,
            lines,
            type,
            type,
            ground.linger().toSeconds(),
            quorum ? "auto" : "'off'", // the broker's own delay, where it has one
            GRACE.toSeconds(),
            ground.retention().toSeconds(),
            Json.line(url)));
    return ConfigurationFile.load(file);
  }
}
