// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

/** The headers Pocketwatch puts on a message. All of them begin with {@value #PREFIX}. */
public final class Headers {
  /** Headers with this prefix belong to Pocketwatch; on an outgoing message they are replaced. */
  public static final String PREFIX = "pocketwatch-";

  /** The message's id (string). */
  public static final String ID = "pocketwatch-id";

  /** When the message was to be delivered (long, milliseconds since the epoch). */
  public static final String DELIVER_AT = "pocketwatch-deliver-at";

  /**
   * The exchange the message was addressed to (string). The envelope of a message that was held
   * shows one of ours.
   */
  public static final String EXCHANGE = "pocketwatch-exchange";

  /** How the message was held (string, a {@link DelayStrategy} name). */
  public static final String STRATEGY = "pocketwatch-strategy";

  /** Which version of a stored message this copy is (int, from 1); only with a row to match. */
  public static final String GENERATION = "pocketwatch-generation";

  /** The route of a stored message (string), which together with the id names its row. */
  public static final String ROUTE = "pocketwatch-route";

  /**
   * The routing key a message was sent with (string), on a copy that the guard held again: that
   * copy comes back to its queue under the queue's name.
   */
  public static final String ROUTING_KEY = "pocketwatch-routing-key";

  /** The {@code CC} keys of such a copy, which must not send it to other queues once more. */
  public static final String CC = "pocketwatch-cc";

  /**
   * Why no Java client could read a message (string), on the copy that was kept of it. Its body is
   * whole, and its properties are not there but in {@link #UNREADABLE_PROPERTIES}.
   */
  public static final String UNREADABLE = "pocketwatch-unreadable";

  /** The properties of such a message as they were on the wire (binary), up to 100,000 bytes. */
  public static final String UNREADABLE_PROPERTIES = "pocketwatch-unreadable-properties";

  private Headers() {}
}
