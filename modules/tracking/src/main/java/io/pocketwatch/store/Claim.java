// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.time.Duration;

/**
 * A row this process alone may hand to the broker, until its lease is over.
 *
 * @param message the row
 * @param owner who claimed it
 * @param fence grows with each holder of the row; changes of an earlier holder no longer apply
 * @param abandoned whether a consumer had begun it, and nobody ended that before its lease was over
 */
public record Claim(StoredMessage message, String owner, long fence, boolean abandoned) {
  public MessageKey key() {
    return message.key();
  }

  /** The same, without the body and the properties, which no conclusion needs. */
  Claim withoutContent() {
    return new Claim(message.withoutContent(), owner, fence, abandoned);
  }

  /**
   * The exclusive right to send a row, for a while.
   *
   * @param owner who; unique per process and start
   * @param length for how long, counted on the database's clock; when it is over, anyone may claim
   */
  public record Lease(String owner, Duration length) {}
}
