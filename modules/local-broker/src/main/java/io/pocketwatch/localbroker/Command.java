// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs one short-lived program to its end, within a limit of time. */
record Command(
    List<String> line, @Nullable Map<String, String> environment, @Nullable Path folder) {

  /** The result of a run; {@code output} holds both streams when {@code errors} is empty. */
  record Result(int exitCode, String output, String errors) {

    boolean ok() {
      return exitCode == 0;
    }

    /** The last line that the program wrote. */
    String lastWords() {
      String[] lines = (errors.isBlank() ? output : errors).strip().split("\\R", -1);
      return lines[lines.length - 1].strip();
    }
  }

  static Command of(String... line) {
    return new Command(List.of(line), null, null);
  }

  Command in(Path where) {
    return new Command(line, environment, where);
  }

  Command with(Map<String, String> variables) {
    return new Command(line, variables, folder);
  }

  /** Output goes through files: a pipe would have to be drained by threads of our own. */
  Result run(Duration limit) throws IOException {
    Path out = Files.createTempFile("pocketwatch-", ".out");
    Path err = Files.createTempFile("pocketwatch-", ".err");
    try {
      Process process = builder().redirectOutput(out.toFile()).redirectError(err.toFile()).start();
      if (!await(process, limit)) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        throw new IOException(
            line.get(0) + " did not end within " + limit.toSeconds() + " s and was killed");
      }
      return new Result(process.exitValue(), text(out), text(err));
    } finally {
      Files.deleteIfExists(out);
      Files.deleteIfExists(err);
    }
  }

  private static String text(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
  }

  ProcessBuilder builder() {
    ProcessBuilder builder = new ProcessBuilder(line);
    builder.redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")));
    if (folder != null) {
      builder.directory(folder.toFile());
    }
    if (environment != null) {
      builder.environment().clear();
      builder.environment().putAll(environment);
    }
    return builder;
  }

  private static boolean await(Process process, Duration limit) throws IOException {
    try {
      return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for a program", e);
    }
  }
}
