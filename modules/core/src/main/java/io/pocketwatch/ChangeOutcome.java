// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

/** The answer to cancel, reschedule and re-release. Each is a statement about what will happen. */
public enum ChangeOutcome {
  /** Done: what was asked for is what will happen. */
  DONE,
  /** A consumer is handling it right now. Nothing changed; ask again when it has ended. */
  BEING_HANDLED,
  /**
   * Too late: it was settled, cancelled or, as far as is known, handed off before. Nothing changed.
   */
  TOO_LATE,
  /** There is no such message, or it was finished so long ago that it is history. */
  UNKNOWN
}
