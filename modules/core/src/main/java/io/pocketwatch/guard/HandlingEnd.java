// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

/** What the store says when a handling is to be settled or failed. */
enum HandlingEnd {
  /** It is recorded. */
  APPLIED,
  /**
   * Nothing changed: the handling was no longer its own. It had been settled before, or its lease
   * was over and someone else began, cancelled or rescheduled.
   */
  OVERTAKEN,
  /** The store did not answer in time; it may be recorded or not. */
  NO_ANSWER
}
