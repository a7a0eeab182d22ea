// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

/** The answer to a cancel. Each one is a statement about what will happen, not a status code. */
public enum CancelOutcome {
  /** The message was still held and has been removed: it will not be delivered. */
  CANCELLED,

  /**
   * The message is due within a second, overdue, or out of our hands: nothing was removed and it
   * is, or was, delivered.
   */
  TOO_LATE,

  /**
   * There is no message under this id: it was never held or stored, was cancelled before, or was
   * delivered and cleaned up.
   */
  NOT_FOUND,

  /** A consumer is handling it right now: nothing was removed; ask again when that has ended. */
  BEING_HANDLED,

  /**
   * The broker or the store could not be asked, or its answer was lost or late: the message may or
   * may not arrive.
   */
  UNCERTAIN
}
