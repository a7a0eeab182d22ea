// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

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
}
