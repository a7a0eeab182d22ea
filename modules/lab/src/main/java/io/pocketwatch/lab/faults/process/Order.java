// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.process;

import io.pocketwatch.lab.faults.account.Messages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** What the publisher's process is told, one line each. */
public final class Order {
  private static final String ROUND = "round ";
  private static final String MORE = "more ";
  private static final String CLOCK = "clock ";

  private Order() {}

  /** To publish these from now on, and no others. */
  public static void round(Path orders, Messages messages) throws IOException {
    give(orders, ROUND + messages.line());
  }

  /** To publish these too. */
  public static void more(Path orders, Messages messages) throws IOException {
    give(orders, MORE + messages.line());
  }

  /** To set its clock forward by so much from where it is, or back. */
  public static void clock(Path orders, Duration step) throws IOException {
    give(orders, CLOCK + step.toMillis());
  }

  private static void give(Path orders, String line) throws IOException {
    Files.writeString(orders, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** What these lines together order to be published: the last round, and what is to come too. */
  static Publishing publishing(List<String> lines) {
    Publishing all = new Publishing(false, List.of());
    for (String line : lines) {
      if (line.startsWith(ROUND)) {
        all = new Publishing(true, List.of(Messages.parse(line.substring(ROUND.length()))));
      } else if (line.startsWith(MORE)) {
        all = all.and(Messages.parse(line.substring(MORE.length())));
      }
    }
    return all;
  }

  /**
   * Messages to publish.
   *
   * @param alone whether those ordered before are to be left
   * @param messages in the order they were ordered
   */
  record Publishing(boolean alone, List<Messages> messages) {
    private Publishing and(Messages more) {
      return new Publishing(alone, Stream.concat(messages.stream(), Stream.of(more)).toList());
    }
  }

  /** The step, if it is one. */
  static Stream<Duration> clock(String line) {
    return line.startsWith(CLOCK)
        ? Stream.of(Duration.ofMillis(Long.parseLong(line.substring(CLOCK.length()))))
        : Stream.empty();
  }
}
