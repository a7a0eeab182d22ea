// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import io.pocketwatch.store.Begun;
import io.pocketwatch.store.MessageKey;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Is told what a guard does, for metrics and logs. Called on threads that others wait for: do not
 * block. What it throws is logged and changes nothing. The key is null for a message without a row.
 */
public interface GuardListener {
  /** Why a copy is held again. */
  enum Reason {
    /** Its instant has not come. */
    EARLY,
    /** Another handling of the same consumer is under way. */
    BUSY
  }

  /** Listens to nothing. */
  GuardListener NONE = new GuardListener() {};

  /**
   * A message goes to its handler.
   *
   * @param lateness arrival minus {@code deliverAt}; null for a message that was never delayed, or
   *     that its consumer has deferred
   */
  default void delivered(String consumer, @Nullable MessageKey key, @Nullable Duration lateness) {}

  /** Settled, by the guard or in the handler's transaction. */
  default void settled(String consumer, MessageKey key) {}

  /** The handler was done, but the handling was no longer its own: someone else took it over. */
  default void overtaken(String consumer, MessageKey key) {}

  /** The handler threw. */
  default void failed(String consumer, @Nullable MessageKey key, Throwable cause) {}

  default void skipped(String consumer, MessageKey key, Begun.Verdict verdict) {}

  default void heldAgain(String consumer, @Nullable MessageKey key, Reason reason, Instant until) {}

  /**
   * As many other consumers have settled the message as its route expects; it is delivered all the
   * same. The route's {@code consumers} is too low, or this consumer got a copy by mistake.
   */
  default void unexpected(String consumer, MessageKey key) {}

  /** The store does not know a tracked message; it is delivered. */
  default void unknown(String consumer, MessageKey key) {}

  /**
   * The broker has ended the consumer: its queue was deleted or lost its node, or its channel was
   * closed. Messages wait until somebody consumes again. Not called for a lost connection.
   */
  default void stopped(String consumer, String why) {}

  /** The store did not answer; called for each attempt. */
  default void storeUnreachable(String consumer, MessageKey key, RuntimeException cause) {}
}
