// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

/** The answer to cancel, reschedule and release. Each is a statement about what will happen. */
public enum ChangeOutcome {
  /** Done: what was asked for is what will happen. A cancelled message is not delivered. */
  DONE,

  /** A consumer is handling it right now. Nothing changed; ask again when it has ended. */
  BEING_HANDLED,

  /**
   * It is due within a second without a row to stop it, or was settled, cancelled or handed off
   * before. Nothing changed.
   */
  TOO_LATE,

  /**
   * There is no such message. It was never held or stored, was delivered and cleaned up, or was
   * finished so long ago that its row was deleted.
   */
  UNKNOWN,

  /**
   * The broker or the store could not be asked, or its answer was lost or late: the message may or
   * may not arrive. Only {@link DelayedPublisher#cancel} answers so; a store throws.
   */
  UNCERTAIN
}
