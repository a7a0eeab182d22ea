// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.wire;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program that has ended. */
record Program(int exitCode, String output, String errors) {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  static Program run(Path folder, String input, List<String> line)
      throws IOException, InterruptedException {
    Path in = Files.createTempFile("pocketwatch-wire-", ".in");
    Path out = Files.createTempFile("pocketwatch-wire-", ".out");
    Path err = Files.createTempFile("pocketwatch-wire-", ".err");
    try {
      Files.writeString(in, input);
      Process process =
          new ProcessBuilder(line)
              .directory(folder.toFile())
              .redirectInput(in.toFile())
              .redirectOutput(out.toFile())
              .redirectError(err.toFile())
              .start();
      if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IOException(line + " did not end: " + Files.readString(err));
      }
      return new Program(process.exitValue(), Files.readString(out), Files.readString(err));
    } finally {
      for (Path each : List.of(in, out, err)) {
        Files.delete(each);
      }
    }
  }

  boolean ok() {
    return exitCode == 0;
  }

  List<String> lines() {
    return output.lines().toList();
  }
}
