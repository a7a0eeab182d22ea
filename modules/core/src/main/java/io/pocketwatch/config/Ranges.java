// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

/** The one wording for an option that is out of range. */
final class Ranges {
  private Ranges() {}

  /**
   * @param what the option and its value, for example {@code channels 65}
   * @throws IllegalArgumentException naming both, unless the value is in range
   */
  static void require(boolean inRange, String what, String allowed) {
    if (!inRange) {
      throw new IllegalArgumentException(what + " is out of range; allowed: " + allowed);
    }
  }
}
