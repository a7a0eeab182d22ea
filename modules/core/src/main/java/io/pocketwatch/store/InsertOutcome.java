// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

/** What an insert found. */
public enum InsertOutcome {
  /** The row is new. */
  INSERTED,
  /**
   * The same message was there already: same target, content and instant. Nothing changed. Headers
   * by which calls are traced do not count: they are another in each call.
   */
  DUPLICATE,
  /** Another message has this id: other target, content or instant. Nothing changed. */
  CONFLICT
}
