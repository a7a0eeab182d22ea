// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.config;

import io.pocketwatch.config.YamlNode;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import java.io.IOException;
import java.util.Map;

/**
 * A reference to a secret outside of the configuration, which is read, copied and committed.
 *
 * @param where the path of its key in the configuration, for error messages
 * @param text {@code env:NAME} or {@code file:PATH}
 */
public record SecretReference(String where, String text) {
  private static final String ENV = "env:";
  private static final String FILE = "file:";
  private static final int SHORTEST = 8;

  static SecretReference of(YamlNode node) {
    String text = node.hidden().filledText();
    boolean sound =
        text.startsWith(ENV) && text.length() > ENV.length()
            || text.startsWith(FILE) && text.length() > FILE.length();
    if (!sound) {
      throw node.refuse(
          "is not a reference; allowed: env:NAME or file:PATH, not what is to be kept");
    }
    return new SecretReference(node.toString(), text);
  }

  /**
   * The secret.
   *
   * @throws CommandFailedException if the secret is missing, or too short
   */
  public String resolve(Map<String, String> environment) {
    try {
      return find(environment);
    } catch (IllegalArgumentException e) {
      throw new CommandFailedException(ExitCodes.USAGE, where + ": " + ErrorWords.of(e), e);
    }
  }

  String find(Map<String, String> environment) {
    String secret = text.startsWith(ENV) ? environment.get(text.substring(ENV.length())) : file();
    if (secret == null) {
      throw new IllegalArgumentException(text + " is not set");
    }
    if (secret.length() < SHORTEST) {
      throw new IllegalArgumentException(
          "%s is shorter than %s characters".formatted(text, SHORTEST));
    }
    return secret;
  }

  private String file() {
    try {
      return Secrets.readFile(text.substring(FILE.length())).strip();
    } catch (IOException e) {
      throw new IllegalArgumentException(text + " cannot be read as a file of UTF-8 text", e);
    }
  }
}
