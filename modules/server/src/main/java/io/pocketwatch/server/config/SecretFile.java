// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** A file of UTF-8 text that is a secret. */
final class SecretFile {
  private SecretFile() {}

  /**
   * What it holds, without the line end that editors put after it.
   *
   * @throws IOException if it is not there or cannot be read; its message may tell of the content
   */
  static String read(String path) throws IOException {
    try {
      return Files.readString(Path.of(path)).replaceFirst("\\R$", "");
    } catch (InvalidPathException e) {
      throw new NoSuchFileException(path);
    }
  }
}
