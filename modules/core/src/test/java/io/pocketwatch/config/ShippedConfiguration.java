// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import java.io.IOException;
import java.nio.file.Files;

/** The text of {@code config/pocketwatch.yml}. */
public final class ShippedConfiguration {
  private ShippedConfiguration() {}

  /** All that is left of it for a parser. */
  public static String withoutComments() throws IOException {
    return Files.readString(ShippedConfigurationTest.FILE).replaceAll("(?m)^ *#.*\n", "");
  }
}
