// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.screen.Visible;
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
        Visible.word(key.route()),
        Visible.word(key.id()),
        outcome);
  }

  static void add(Caller caller, String what, String schedule) {
    LOG.info(
        "Change: {} from {}: {} schedule {}",
        caller.actor(),
        caller.address(),
        what,
        Visible.word(schedule));
  }
}
