// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

/** What the broker said about a published message. Exactly one of four. */
public enum PublishOutcome {
  /**
   * The broker has the message: it confirmed it and did not return it. Confirmed means durably held
   * (or, for a message that was already due, routed to at least one queue), not delivered. For a
   * stored message: the database has committed it.
   */
  CONFIRMED,

  /** The broker found no queue for the message and gave it back. It will not be delivered. */
  RETURNED,

  /**
   * The message is not on the broker and will not be delivered: the broker refused it, or it was
   * never sent because there was no connection, no free place in flight, or the broker had blocked
   * publishers; or the store certainly has not taken it. Sending it again cannot make a duplicate,
   * with one exception: a message that was due already is refused as a whole when one of its queues
   * refuses it, or is classic and its node is lost at that moment; others may have it, or that one.
   */
  REJECTED,

  /**
   * Sent, but the answer never came: the connection or channel was lost or the confirm timed out.
   * Or the broker refused it for a classic hold queue, whose node may have gone with the message.
   * It may or may not arrive. Sending it again under the same id may deliver it twice.
   */
  UNCERTAIN
}
