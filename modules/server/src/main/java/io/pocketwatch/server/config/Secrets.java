// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.config;

import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads secrets from the environment: from a variable, or from the file that a variable of the same
 * name with {@value #FILE} names. A file suits Docker and Kubernetes, and processes whose
 * environment others can read.
 */
public final class Secrets {
  static final String FILE = "_FILE";

  private Secrets() {}

  /**
   * The secret, without the line end that editors put after it; nothing where neither is set.
   *
   * @throws CommandFailedException if both are set, or the file is empty or cannot be read
   */
  public static Optional<String> read(String variable, Map<String, String> environment) {
    Optional<String> itself = set(environment.get(variable));
    Optional<String> file = set(environment.get(variable + FILE));
    if (itself.isPresent() && file.isPresent()) {
      throw refuse(variable, "and " + variable + FILE + " are both set; allowed: one of them");
    }
    return file.isEmpty() ? itself : Optional.of(content(variable + FILE, file.get()));
  }

  private static Optional<String> set(@Nullable String value) {
    return Optional.ofNullable(value).filter(text -> !text.isBlank());
  }

  private static String content(String variable, String file) {
    try {
      String secret = readFile(file);
      if (secret.isBlank()) {
        throw refuse(variable, "names '" + file + "', which is empty");
      }
      return secret;
    } catch (NoSuchFileException e) {
      throw refuse(variable, "names '" + file + "', and there is no such file");
    } catch (IOException e) { // not the decoder's message, which may reveal content
      String why = e.getClass().getSimpleName();
      throw refuse(variable, "names '" + file + "', which cannot be read: " + why);
    }
  }

  private static CommandFailedException refuse(String variable, String problem) {
    return new CommandFailedException(ExitCodes.USAGE, variable + " " + problem);
  }

  /**
   * The content of a file of UTF-8 text, without the line end that editors add.
   *
   * @throws IOException if it is missing or cannot be read; the message may reveal content
   */
  static String readFile(String path) throws IOException {
    try {
      return Files.readString(Path.of(path)).replaceFirst("\\R$", "");
    } catch (InvalidPathException e) {
      throw new NoSuchFileException(path);
    }
  }
}
