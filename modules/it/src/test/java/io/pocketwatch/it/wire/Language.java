// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.wire;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.opentest4j.TestAbortedException;

/** A language that {@code modules/core/examples} has an example in. */
enum Language {
  PYTHON("python/delay.py", "drive.py") {
    @Override
    List<String> prepare() throws IOException, InterruptedException {
      // Debian's python3-pika belongs to Debian's Python, which need not be the first on the PATH.
      for (String python : List.of("python3", "/usr/bin/python3")) {
        if (works(python, "-c", "import pika")) {
          return List.of(python, "-B"); // no __pycache__ among the sources
        }
      }
      throw missing("python3 with pika", "python3-pika");
    }

    @Override
    Path example() {
      return source();
    }
  },

  NODE("node/delay.mjs", "drive.mjs") {
    /** Installed beside a copy: node looks for packages where the file is, and up from there. */
    @Override
    List<String> prepare() throws IOException, InterruptedException {
      if (!works("node", "--version") || !works("npm", "--version")) {
        throw missing("node and npm", "nodejs npm");
      }
      Files.createDirectories(BUILD);
      for (String file : List.of("delay.mjs", "package.json", "package-lock.json")) {
        Files.copy(
            source().resolveSibling(file),
            BUILD.resolve(file),
            StandardCopyOption.REPLACE_EXISTING);
      }
      Program install =
          Program.run(
              BUILD, "", List.of("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"));
      if (!install.ok()) {
        throw missing("amqplib (npm ci says: " + install.errors().strip() + ")", "nodejs npm");
      }
      return List.of("node");
    }

    @Override
    Path example() {
      return BUILD.resolve("delay.mjs").toAbsolutePath();
    }
  };

  private static final Path EXAMPLES = Path.of("..", "core", "examples");

  /** Of this process: another one that installs there at the same time would empty it. */
  private static final Path BUILD =
      Path.of("target", "wire", "node-" + ProcessHandle.current().pid());

  private final String source;
  private final String driver;
  private List<String> interpreter = List.of();

  Language(String source, String driver) {
    this.source = source;
    this.driver = driver;
  }

  abstract List<String> prepare() throws IOException, InterruptedException;

  /** The example as it is run. */
  abstract Path example();

  Path source() {
    return EXAMPLES.resolve(source).toAbsolutePath().normalize();
  }

  /**
   * The example as the page shows its use.
   *
   * @throws TestAbortedException where the language is not installed
   */
  Program run(String... arguments) throws IOException, InterruptedException {
    return run("", List.of(example().toString()), arguments);
  }

  /** The functions of the example. */
  Program drive(String input, String... arguments) throws IOException, InterruptedException {
    String script = Path.of("src/test/resources/wire", driver).toAbsolutePath().toString();
    return run(input, List.of(script, example().toString()), arguments);
  }

  private Program run(String input, List<String> script, String... arguments)
      throws IOException, InterruptedException {
    synchronized (this) {
      if (interpreter.isEmpty()) {
        interpreter = prepare();
      }
    }
    List<String> line = new ArrayList<>(interpreter);
    line.addAll(script);
    line.addAll(List.of(arguments));
    return Program.run(Path.of("target"), input, line);
  }

  private static boolean works(String... line) throws InterruptedException {
    try {
      return Program.run(Path.of("target"), "", List.of(line)).ok();
    } catch (IOException e) {
      return false; // there is no such program
    }
  }

  private static TestAbortedException missing(String what, String packages) {
    String loud =
        "NOT TESTED: the examples of wire-format.md need %s (apt-get install --no-install-recommends %s)"
            .formatted(what, packages);
    System.err.println(loud);
    return new TestAbortedException(loud);
  }
}
