// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import io.pocketwatch.server.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The command {@code pocketwatch} in a JVM of its own.
 *
 * @param options of the JVM
 * @param variables of its environment, beside ours
 */
public record ServerProcess(Path folder, List<String> options, Map<String, String> variables) {
  private static final long PATIENCE_SECONDS = 60;

  /** How it ended, and all it printed. */
  public record Result(int exitCode, String output) {}

  public Result run(String... arguments) throws IOException, InterruptedException {
    Path output = Files.createTempFile(folder, "output", ".log");
    Process process = start(output, arguments);
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
      throw new IOException(List.of(arguments) + " does not end: " + Files.readString(output));
    }
    return new Result(process.exitValue(), Files.readString(output));
  }

  /** The caller ends it. */
  public Process start(Path output, String... arguments) throws IOException {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.add("-Dlogback.configurationFile=logback.xml"); // the server's own, not that of our tests
    line.addAll(options);
    line.add("-cp");
    line.add(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    line.add(Main.class.getName());
    line.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().remove("POCKETWATCH_BROKER");
    builder.environment().putAll(variables);
    return builder.start();
  }
}
