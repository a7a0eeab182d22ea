// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Compares whole version numbers with wanted beginnings: 4.3 fits 4.3.6 and not 4.30.1. */
final class Versions {

  /** The version that is started if the caller asks for none. */
  static final String DEFAULT = "4.3";

  private static final Pattern PREFIX = Pattern.compile("\\d+(\\.\\d+){0,2}");

  private Versions() {}

  static boolean valid(String wanted) {
    return PREFIX.matcher(wanted).matches();
  }

  static boolean fits(String version, @Nullable String wanted) {
    return wanted == null || (version + ".").startsWith(wanted + ".");
  }

  /** {@code 4.3} or {@code 4.3.6} as the end of a variable's name: {@code 4_3}. */
  static String variableSuffix(String version) {
    String[] parts = version.split("\\.", -1);
    return parts.length == 1 ? parts[0] : parts[0] + "_" + parts[1];
  }
}
