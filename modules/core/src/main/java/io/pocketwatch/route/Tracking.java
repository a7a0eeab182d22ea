// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.route;

/** How long a database keeps a copy of each message of a route. */
public enum Tracking {
  /** Only while it is due beyond the horizon; deleted when the broker has confirmed it. */
  NONE,
  /**
   * From scheduling until the broker has confirmed it, and then only as evidence: can be cancelled
   * and rescheduled until handed off, is loaded again if the broker loses its disk.
   */
  HANDOFF,
  /** Until every consumer has settled it: all of that to the end, and an effect only once. */
  FULL
}
