// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.config;

import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import java.io.IOException;
import java.util.Map;

/**
 * Where a secret is to be found: not in the configuration itself, which is read, copied and
 * committed.
 *
 * @param where what it is for, in error messages: its path in the configuration
 * @param text {@code env:NAME} or {@code file:PATH}
 */
public record SecretReference(String where, String text) {
  static final String ALLOWED = "allowed: env:NAME or file:PATH, not what is to be kept";

  private static final String ENV = "env:";
  private static final String FILE = "file:";
  private static final int SHORTEST = 8;

  static boolean sound(String text) {
    return text.startsWith(ENV) && text.length() > ENV.length()
        || text.startsWith(FILE) && text.length() > FILE.length();
  }

  /**
   * The secret.
   *
   * @throws CommandFailedException if it is not there, or too short to be one
   */
  public String resolve(Map<String, String> environment) {
    String secret = text.startsWith(ENV) ? variable(environment) : file();
    if (secret.length() < SHORTEST) {
      throw refuse("is shorter than %d characters".formatted(SHORTEST));
    }
    return secret;
  }

  private String variable(Map<String, String> environment) {
    String secret = environment.get(text.substring(ENV.length()));
    if (secret == null) {
      throw refuse("is not set");
    }
    return secret;
  }

  private String file() {
    try {
      return Secrets.readFile(text.substring(FILE.length())).strip();
    } catch (IOException e) {
      throw refuse("cannot be read as a file of UTF-8 text");
    }
  }

  private CommandFailedException refuse(String problem) {
    return new CommandFailedException(ExitCodes.USAGE, "%s: %s %s".formatted(where, text, problem));
  }
}
