// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

/** The answer to a cancel. Each one is a statement about what will happen, not a status code. */
public enum CancelOutcome {
  /** The message was still held and has been removed: it will not be delivered. */
  CANCELLED,

  /** The message is due within a second, or overdue: nothing was removed and it is delivered. */
  TOO_LATE,

  /**
   * The broker holds no message under this id: it was never held, was cancelled before, or was
   * delivered and cleaned up.
   */
  NOT_FOUND,

  /** The broker could not be asked, or its answer was lost: the message may or may not arrive. */
  UNCERTAIN
}
