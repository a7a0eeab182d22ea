// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.route;

/**
 * What to do with a message that carries an {@code expiration} of its own. It cannot survive
 * dead-lettering: the broker removes it.
 */
public enum UserExpiration {
  /** Refuse the message. */
  REJECT,

  /** Send it without its expiration. */
  DROP
}
