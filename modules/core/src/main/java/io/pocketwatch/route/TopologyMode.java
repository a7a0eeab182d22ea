// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.route;

/** How much of the topology a publisher may touch. */
public enum TopologyMode {
  /** Declare what is missing; refuse to start where something differs. */
  DECLARE,

  /**
   * Check that exchanges and queues exist, declare and bind nothing. Destinations must have been
   * bound by somebody else; write permission on our exchanges is enough to publish.
   */
  VERIFY,

  /** Ask the broker nothing. */
  ASSUME
}
