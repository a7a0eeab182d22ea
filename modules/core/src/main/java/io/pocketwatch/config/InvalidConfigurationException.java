// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import io.pocketwatch.PocketwatchException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The configuration is refused as a whole: nothing was declared. The message has one line per
 * fault, {@code source:line: key: what is wrong}, with the line's number if the source is YAML.
 */
public final class InvalidConfigurationException extends PocketwatchException {
  private static final long serialVersionUID = 1L;

  private final String key;
  private final int line;

  InvalidConfigurationException(String source, String key, String problem) {
    this(source, 0, key, problem, null);
  }

  /**
   * @param line the line's number, or 0 for none
   */
  InvalidConfigurationException(
      String source, int line, String key, String problem, @Nullable Throwable cause) {
    super(message(source, line, key, problem));
    this.key = key;
    this.line = line;
    if (cause != null) {
      initCause(cause);
    }
  }

  private InvalidConfigurationException(List<InvalidConfigurationException> faults) {
    super(faults.stream().map(Throwable::getMessage).collect(Collectors.joining("\n")));
    key = faults.get(0).key;
    line = faults.get(0).line;
    faults.forEach(this::addSuppressed);
  }

  static InvalidConfigurationException of(List<InvalidConfigurationException> faults) {
    return faults.size() == 1 ? faults.get(0) : new InvalidConfigurationException(faults);
  }

  /** The first wrong key's path, such as {@code pocketwatch.routes.order-timeout.delays[1]}. */
  public String key() {
    return key;
  }

  int line() {
    return line;
  }

  private static String message(String source, int line, String key, String problem) {
    String place = line == 0 ? source : source + ":" + line;
    String text = key.isEmpty() ? place + ": " + problem : place + ": " + key + ": " + problem;
    return text.replaceAll("\\R", "\\\\n"); // one fault, one line
  }
}
