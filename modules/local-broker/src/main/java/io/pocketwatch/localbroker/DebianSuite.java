// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.util.Optional;
import java.util.stream.Stream;

/** The Debian releases whose RabbitMQ is used, newest first, and the version expected in each. */
enum DebianSuite {
  FORKY("forky", "4.3"),
  TRIXIE("trixie", "4.0"),
  BOOKWORM("bookworm", "3.10");

  private final String label;
  private final String expected;

  DebianSuite(String label, String expected) {
    this.label = label;
    this.expected = expected;
  }

  /** The suite to look in for a wanted version, whether that is full or only a beginning. */
  static Optional<DebianSuite> holding(String wanted) {
    return Stream.of(values())
        .filter(
            suite -> Versions.fits(suite.expected, wanted) || Versions.fits(wanted, suite.expected))
        .findFirst();
  }

  String label() {
    return label;
  }

  static String offer() {
    return Stream.of(values())
        .map(suite -> suite.expected + " (" + suite.label + ")")
        .reduce((one, other) -> one + ", " + other)
        .orElseThrow();
  }
}
