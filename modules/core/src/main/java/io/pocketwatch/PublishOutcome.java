// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

/** What the broker said about a published message: exactly one of four outcomes. */
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
   * The message is not on the broker and will not be delivered. The broker refused it, or the store
   * certainly has not taken it, or it was never sent. It is not sent without a connection or a free
   * place in flight, or while the broker blocks publishers. Sending it again cannot make a
   * duplicate, except if it was due already. Such a message is refused as a whole when one of its
   * queues refuses it; the others may have it. A classic queue whose node is lost at that moment
   * refuses it too, and may have it.
   */
  REJECTED,

  /**
   * Sent, but the answer never came: the connection or channel was lost or the confirm timed out.
   * Or the broker refused it for a classic hold queue, whose node may have gone with the message.
   * It may or may not arrive. Sending it again under the same id may deliver it twice.
   */
  UNCERTAIN
}
