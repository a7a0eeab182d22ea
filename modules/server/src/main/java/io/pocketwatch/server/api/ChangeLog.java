// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.pocketwatch.store.ChangeOutcome;
import io.pocketwatch.store.MessageKey;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says in the log who has changed which message. One line each, whatever an id holds. */
final class ChangeLog {
  private static final Logger LOG = LoggerFactory.getLogger("serve");

  private ChangeLog() {}

  static void add(Caller caller, String what, MessageKey key, ChangeOutcome outcome) {
    LOG.info(
        "Change: {} from {}: {} {}/{}: {}",
        caller.actor(),
        caller.address(),
        what,
        printable(key.route()),
        printable(key.id()),
        outcome);
  }

  /** Without what could end the line, or do something to a terminal. */
  static String printable(String text) {
    StringBuilder printable = new StringBuilder();
    text.codePoints()
        .forEach(
            each -> {
              int type = Character.getType(each);
              boolean plain =
                  type != Character.CONTROL
                      && type != Character.FORMAT
                      && type != Character.LINE_SEPARATOR
                      && type != Character.PARAGRAPH_SEPARATOR
                      && type != Character.SURROGATE;
              if (plain) {
                printable.appendCodePoint(each);
              } else {
                printable.append("\\u{").append(Integer.toHexString(each)).append('}');
              }
            });
    return printable.toString();
  }
}
