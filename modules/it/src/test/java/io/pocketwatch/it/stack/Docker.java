// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.stack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The command line {@code docker}, with variables for Compose. */
record Docker(Map<String, String> variables) {
  private static final Duration SHORT = Duration.ofSeconds(30);

  /** What ended, and what it said. */
  record Result(int exitCode, String output) {
    boolean ok() {
      return exitCode == 0;
    }
  }

  /** Why stacks of these images cannot be started here, if they cannot. Pulls nothing. */
  static Optional<String> missing(List<String> images) {
    Docker docker = new Docker(Map.of());
    try {
      if (!docker.run(SHORT, "version").ok()) {
        return Optional.of("no Docker engine answers");
      }
      if (!docker.run(SHORT, "compose", "version").ok()) {
        return Optional.of("this Docker has no Compose");
      }
      for (String image : images) {
        if (!docker.run(SHORT, "image", "inspect", image).ok()) {
          return Optional.of(
              "the image " + image + " is not on this machine (docker pull " + image + ")");
        }
      }
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("there is no docker command: " + e.getMessage());
    }
  }

  Result run(Duration patience, String... arguments) throws IOException {
    List<String> line = new ArrayList<>(List.of("docker"));
    line.addAll(List.of(arguments));
    Path output = Files.createTempFile("pocketwatch-docker-", ".log");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(output.toFile());
      builder.environment().putAll(variables);
      Process process = builder.start();
      if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        throw new IOException(line + " did not end: " + Files.readString(output));
      }
      return new Result(process.exitValue(), Files.readString(output));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      Files.deleteIfExists(output);
    }
  }
}
