// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import io.pocketwatch.PublishOutcome;

/**
 * The result of a hand-off.
 *
 * @param claim what was handed off
 * @param outcome the broker's verdict; only with {@code CONFIRMED} it has the message
 * @param detail the broker's or our own words; empty when confirmed
 * @param problem why it is not on the broker
 * @param marked whether the row was marked. False after a confirm: the claim was no longer ours,
 *     the message was settled or changed meanwhile, or it is marked later
 */
public record HandOffResult(
    Claim claim, PublishOutcome outcome, String detail, Problem problem, boolean marked) {

  /** Why a message is not on the broker. */
  public enum Problem {
    /** It is on the broker. */
    NONE,
    /** The broker or the connection failed; the same message may well pass later. */
    BROKER,
    /** Its channel was closed, by it or by another message, while the connection stayed. */
    CHANNEL,
    /**
     * The hold queue refused it, perhaps a full one. A classic queue whose node is lost may have
     * taken it; the outcome is then {@code UNCERTAIN}. Other hold queues take messages meanwhile.
     */
    HOLD,
    /** Its target does not exist or takes nothing; it may appear. */
    TARGET,
    /**
     * A queue of its target refused it, perhaps a full one. Other queues of that target may have
     * taken it.
     */
    REFUSED,
    /**
     * Its target has not confirmed it while the connection stayed. Or other messages waited for
     * confirms, and left it no place in flight. Only for messages sent straight to their target.
     */
    SILENCE,
    /** The message cannot be sent as it is. */
    MESSAGE,
    /** The hand-off failed in a way that no code expects. */
    UNFORESEEN
  }

  /** A copy that says whether the row was marked. */
  public HandOffResult marked(boolean applied) {
    return new HandOffResult(claim, outcome, detail, problem, applied);
  }

  public boolean confirmed() {
    return outcome == PublishOutcome.CONFIRMED;
  }
}
