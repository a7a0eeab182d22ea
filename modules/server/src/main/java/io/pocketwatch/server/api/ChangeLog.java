// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.screen.Visible;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.SchedulingStore.ManyChanged;
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

  /** What was done to the messages of a filter. */
  static void addMany(Caller caller, String what, MessageQuery filter, ManyChanged changed) {
    LOG.info(
        "Change: {} from {}: {} of {}{}: {}",
        caller.actor(),
        caller.address(),
        what,
        filter.route() == null ? "all routes" : Visible.word(filter.route()),
        filter.businessKey() == null ? "" : ", key " + Visible.word(filter.businessKey()),
        changed.counts());
  }
}
