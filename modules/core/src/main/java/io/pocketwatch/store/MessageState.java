// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

/** Where a stored message is in its life. */
public enum MessageState {
  /** In the database only, or not yet known to be on the broker. */
  PENDING,
  /**
   * The broker confirmed it and did not return it; it is held there until due, or for another try.
   */
  HELD,
  /** Every consumer that has to has settled it. */
  SETTLED,
  /** Cancelled; a copy the broker still holds is skipped when it arrives. */
  CANCELLED,
  /** It arrived and its handler failed; retrying is now up to the consumer's own set-up. */
  FAILED,
  /** Given up, with a reason, and kept for a human. */
  PARKED;

  /** Whether nothing more happens to it by itself. */
  public boolean finished() {
    return this == SETTLED || this == CANCELLED || this == FAILED || this == PARKED;
  }
}
