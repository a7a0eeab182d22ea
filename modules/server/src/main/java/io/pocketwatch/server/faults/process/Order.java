// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults.process;

import io.pocketwatch.server.faults.account.Messages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.stream.Stream;

/** What the publisher's process is told, one line each. */
public final class Order {
  private static final String ROUND = "round ";
  private static final String CLOCK = "clock ";

  private Order() {}

  /** To publish these from now on, and no others. */
  public static void round(Path orders, Messages messages) throws IOException {
    give(orders, ROUND + messages.line());
  }

  /** To set its clock forward by so much from where it is, or back. */
  public static void clock(Path orders, Duration step) throws IOException {
    give(orders, CLOCK + step.toMillis());
  }

  private static void give(Path orders, String line) throws IOException {
    Files.writeString(orders, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  static boolean isRound(String line) {
    return line.startsWith(ROUND);
  }

  static Messages round(String line) {
    return Messages.parse(line.substring(ROUND.length()));
  }

  /** The step, if it is one. */
  static Stream<Duration> clock(String line) {
    return line.startsWith(CLOCK)
        ? Stream.of(Duration.ofMillis(Long.parseLong(line.substring(CLOCK.length()))))
        : Stream.empty();
  }
}
