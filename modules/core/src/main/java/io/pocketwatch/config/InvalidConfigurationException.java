// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import io.pocketwatch.PocketwatchException;

/** A configuration that is refused as a whole: nothing was declared. It names source and key. */
public final class InvalidConfigurationException extends PocketwatchException {
  private static final long serialVersionUID = 1L;

  private final String key;

  InvalidConfigurationException(String source, String key, String problem) {
    super(message(source, key, problem));
    this.key = key;
  }

  InvalidConfigurationException(String source, String key, String problem, Throwable cause) {
    super(message(source, key, problem), cause);
    this.key = key;
  }

  /** The offending key's path, for example {@code pocketwatch.routes.order-timeout.delays[1]}. */
  public String key() {
    return key;
  }

  private static String message(String source, String key, String problem) {
    return key.isEmpty() ? source + ": " + problem : source + ": " + key + ": " + problem;
  }
}
