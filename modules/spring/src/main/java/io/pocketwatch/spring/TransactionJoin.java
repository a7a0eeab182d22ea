// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import io.pocketwatch.DelayedMessage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Lets stored messages be a part of the caller's database transaction. */
public interface TransactionJoin {
  /**
   * Whether the calling thread is in a transaction that a stored message must be a part of.
   *
   * @throws DelayedSendException if the message could not be a part of that transaction
   */
  boolean active();

  /**
   * Stores the message in the transaction of the calling thread. It is handed off after the commit,
   * if it is due within the horizon, and never exists after a rollback.
   *
   * @param end called after the transaction, on its thread: with null if it has committed, else
   *     with the reason why it has not
   */
  void publish(DelayedMessage message, Consumer<@Nullable String> end);
}
