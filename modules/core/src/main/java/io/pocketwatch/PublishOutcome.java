// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

/** The broker's verdict on a published message: exactly one of four outcomes. */
public enum PublishOutcome {
  /**
   * The broker has confirmed the message and not returned it. It is durably held, or, if it was
   * already due, routed to at least one queue; it is not yet delivered. A stored message is
   * committed in the database.
   */
  CONFIRMED,

  /** The broker found no queue for the message and returned it. It will not be delivered. */
  RETURNED,

  /**
   * The message is not on the broker and will not be delivered. The broker refused it, or the store
   * certainly has not taken it, or it was never sent. It is not sent without a connection or a free
   * place in flight, or while the broker blocks publishers. Publishing it again cannot make a
   * duplicate, unless it was already due. The broker then refuses it if one queue of several does,
   * and the others may have it. A classic queue whose node is lost at that moment refuses it too,
   * and may have it.
   */
  REJECTED,

  /**
   * The message was sent, but the connection or channel was lost before the answer, or the confirm
   * timed out. Or a classic hold queue refused it, whose node may have been lost. It may or may not
   * arrive. Publishing it again under the same id may deliver it twice.
   */
  UNCERTAIN
}
