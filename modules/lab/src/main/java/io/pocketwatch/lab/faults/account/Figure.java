// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.account;

/** What is counted in each round. */
public enum Figure {
  MESSAGES("messages"),
  CONFIRMED("confirmed"),
  /** Done by their handlers. */
  HANDLED("handled"),
  /** Their handlers wanted them again later, counted once for each time. */
  PUT_OFF("putOff"),
  /** Moved to a later instant on their way. */
  MOVED("moved"),
  /** Cancelled on their way. */
  CANCELLED("cancelled"),
  /** Handled although they were cancelled. */
  HANDLED_AFTER_CANCEL("handledAfterCancel"),
  /** Tracked messages that are done, and whose rows would send them again. */
  ROWS_LEFT("rowsLeft"),
  /** Kept for a human. */
  PARKED("parked"),
  /** Confirmed, neither handled nor parked, and the table allows no loss. */
  LOST("lost"),
  LOST_ALLOWED("lostAllowed"),
  /** Handled before their instant, and the table does not allow it. */
  EARLY("early"),
  EARLY_ALLOWED("earlyAllowed"),
  /** Copies of messages that had come before, allowed or not. */
  DUPLICATE_DELIVERIES("duplicateDeliveries"),
  /** Those the table does not allow. */
  DUPLICATES_NOT_ALLOWED("duplicatesNotAllowed"),
  /** Second effects that only the unique key stopped. */
  DUPLICATE_EFFECTS("duplicateEffects"),
  /** Answers; each was followed by another attempt. */
  UNCERTAIN("uncertain"),
  REJECTED("rejected"),
  RETURNED("returned"),
  /** Messages of which nobody knows whether the broker has them, and which cannot be sent again. */
  LEFT_UNCERTAIN("leftUncertain"),
  /** Messages that were never confirmed, though sent again and again. */
  NOT_TAKEN("notTaken"),
  HELD_AGAIN("heldAgain"),
  /** Copies of tracked messages that the store did not know. */
  UNKNOWN("unknown"),
  /** Copies that a target queue gave up. */
  DEAD_LETTERED("deadLettered"),
  /** Nodes that passed nothing on any more, and were restarted for that. */
  NODES_RESTARTED("nodesRestarted"),
  /** Processes that ended without being killed, for lack of a broker or store. */
  RESTARTED_THEMSELVES("restartedThemselves");

  private final String word;

  Figure(String word) {
    this.word = word;
  }

  /** As in the JSON object. */
  public String word() {
    return word;
  }
}
