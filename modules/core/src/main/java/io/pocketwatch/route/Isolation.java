// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.route;

/** What happens to other destinations when one destination takes nothing. */
public enum Isolation {
  /**
   * Hold queues are shared and release straight to the destination. A destination that rejects (a
   * full {@code reject-publish} queue) or is unavailable can delay the others.
   */
  SHARED,

  /** Each destination has an out queue of its own: one hop more, and it delays only itself. */
  DESTINATION
}
