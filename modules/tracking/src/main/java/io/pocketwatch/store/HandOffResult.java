// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import io.pocketwatch.PublishOutcome;

/**
 * What became of a hand-off.
 *
 * @param claim what was handed off
 * @param outcome the broker's verdict; only with {@code CONFIRMED} it has the message
 * @param detail the broker's or our own words; empty when confirmed
 * @param problem whose fault it was
 * @param marked whether the row was marked. False after a confirm: the claim was no longer ours,
 *     the message was settled or changed meanwhile, or it is marked later
 */
public record HandOffResult(
    Claim claim, PublishOutcome outcome, String detail, Problem problem, boolean marked) {

  /** Whose fault it is that a message is not on the broker. */
  public enum Problem {
    /** Nobody's: it is. */
    NONE,
    /** The broker's or the connection's; the same message may well pass later. */
    BROKER,
    /** Its channel was closed while the connection stayed: by it, or by a neighbour. */
    CHANNEL,
    /**
     * The hold queue's, which refused it: full, perhaps. A classic one whose node is gone may have
     * taken it, and the outcome is {@code UNCERTAIN} then. Others take theirs meanwhile.
     */
    HOLD,
    /** Its target does not exist or takes nothing; it may appear. */
    TARGET,
    /**
     * A queue of its target's, which refused it: full, perhaps. Other queues of that target may
     * have taken it.
     */
    REFUSED,
    /**
     * Its target's, which has not confirmed it while the connection stayed. Or that of others: they
     * waited for confirms, and left it no place in flight. Only what goes straight to its target.
     */
    SILENCE,
    /** Its own: it cannot be sent as it is. */
    MESSAGE,
    /** Nobody knows: handing it over failed in a way that no code expects. */
    UNFORESEEN
  }

  /** The same, when it is known whether the row was marked. */
  public HandOffResult marked(boolean applied) {
    return new HandOffResult(claim, outcome, detail, problem, applied);
  }

  public boolean confirmed() {
    return outcome == PublishOutcome.CONFIRMED;
  }
}
