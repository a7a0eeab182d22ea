// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.traffic;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The body of a message: JSON, so that the console can show it. */
final class Letter {
  private static final String NOBODY = "\"customer\": null";

  private Letter() {}

  static String of(long number, @Nullable Integer customer) {
    return "{\"order\": %s, \"customer\": %s}".formatted(number, customer);
  }

  /** Whether it is for a customer nobody knows. */
  static boolean forNobody(byte[] body) {
    return new String(body, StandardCharsets.UTF_8).contains(NOBODY);
  }
}
