// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.broker;

import io.pocketwatch.benchmarks.harness.NotHereException;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The jars of a server, gathered by a module beside this one and kept off our own class path. */
record Libraries(Path folder) {

  /** Those of a module such as {@code benchmarks-artemis}. */
  static Libraries of(String module) throws NotHereException {
    Path folder = modules().resolve(module).resolve("target").resolve("lib");
    if (!Files.isDirectory(folder)) {
      throw new NotHereException("modules/" + module + " is not built");
    }
    return new Libraries(folder);
  }

  String classPath() {
    return folder + File.separator + "*";
  }

  /** The version in the name of a jar. */
  String version(String artifact) {
    try (Stream<Path> jars = Files.list(folder)) {
      return jars.map(jar -> jar.getFileName().toString())
          .filter(name -> name.matches(artifact + "-\\d.*\\.jar"))
          .map(name -> name.substring(artifact.length() + 1, name.length() - ".jar".length()))
          .findFirst()
          .orElse("of an unknown version");
    } catch (IOException e) {
      return "of an unknown version";
    }
  }

  /** Ours runs from modules/benchmarks/target, as a jar or as classes. */
  private static Path modules() throws NotHereException {
    try {
      Path own =
          Path.of(Libraries.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      return own.resolve("../../..").normalize();
    } catch (URISyntaxException e) {
      throw new NotHereException("cannot tell where the benchmarks run from", e);
    }
  }
}
