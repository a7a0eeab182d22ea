// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.time.Duration;

/**
 * A row this process alone may hand to the broker, until its lease is over.
 *
 * @param message the row
 * @param owner who claimed it
 * @param fence counts the claims of this row; what an earlier claimer still does no longer applies
 */
public record Claim(StoredMessage message, String owner, long fence) {
  public MessageKey key() {
    return message.key();
  }

  /**
   * The wish to be the only one to load a row, for a while.
   *
   * @param owner who; unique per process and start
   * @param length for how long, counted on the database's clock; when it is over, anyone may claim
   */
  public record Lease(String owner, Duration length) {}
}
