// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

/** What became of one message. Every message of a demo has exactly one of these. */
enum Fate {
  /** It arrived, and nothing says that it should not have. */
  DELIVERED,

  /** It was cancelled and has not arrived. */
  CANCELLED,

  /**
   * The broker did not take it, or not for certain, for a stated reason, and it has not arrived.
   */
  UNCONFIRMED,

  /** The broker confirmed it, nobody cancelled it, and it has not arrived. */
  LOST,

  /**
   * What we know does not fit together. It arrived although cancelled or refused, or with another
   * due instant or strategy than its receipt says. Or its publish or cancel call was never answered
   * for certain, or was refused without a reason.
   */
  UNEXPLAINED
}
