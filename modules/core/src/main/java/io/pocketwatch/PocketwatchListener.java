// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

import io.pocketwatch.store.HandOffResult;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore.Begun;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Hears what happens to messages; metrics and logs are fed from here. Called on threads that have
 * other work to do, by publishers, loaders and guards alike: return at once. What it throws is
 * logged and changes nothing. The key is null for a message without a row.
 */
public interface PocketwatchListener {
  /** Hears nothing. */
  PocketwatchListener NONE = new PocketwatchListener() {};

  /** A publish call has its receipt. */
  default void published(PublishReceipt receipt) {}

  /** A stored message was handed to the broker, or was not. */
  default void handedOff(HandOffResult result) {}

  /**
   * Part of a loader's claim is on the broker and marked.
   *
   * @param messages how many
   * @param took from the first hand-off to the last mark
   */
  default void loaded(String route, int messages, Duration took) {}

  /** A stored message was given up, and is kept for a human. */
  default void parked(MessageKey key, String reason) {}

  /** A stored message waits because its target does not exist or takes nothing. */
  default void targetMissing(MessageKey key, String reason) {}

  /** A loader gave claims back because the broker took no messages of the route. */
  default void heldUp(String route, int messages, String reason) {}

  /** So many overdue messages of a route, which the broker no longer has, will be loaded again. */
  default void recovered(String route, int messages) {}

  /**
   * The broker lost its disk; so many messages that the store knows of as held in this epoch will
   * be loaded again. Told by whoever does that, once per 1,000 messages, and not at all if there
   * are none.
   */
  default void epochLost(String epoch, int messages) {}

  /**
   * A route has overdue messages, and it or one of its consumers settles nothing; none is sent
   * again.
   */
  default void silent(String route, long overdue) {}

  /** So many finished messages became history. */
  default void movedToHistory(int messages) {}

  /**
   * A loader's run or sweep is over.
   *
   * @param horizon up to when it loaded
   * @param complete whether everything due until then was handed off
   */
  default void swept(Instant horizon, boolean complete) {}

  /**
   * There is a new connection, or a later look at it: whether it holds messages by their delivery
   * time.
   */
  default void nativeHold(NativeHold hold) {}

  /** A probe has shown a broker's clock; of several hold queues the one that is off by the most. */
  default void brokerClock(BrokerClock clock) {}

  /** Why a copy is held again. */
  enum Reason {
    /** Its instant has not come. */
    EARLY,
    /** Another handling of the same consumer is under way. */
    BUSY
  }

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

  /** The handler threw, or the message was rejected. */
  default void failed(String consumer, @Nullable MessageKey key, Throwable cause) {}

  /**
   * A message comes again: its consumer has deferred it, or has failed and its route has it tried
   * again.
   *
   * @param attempt which attempt that will be, from 2 on
   * @param until not before then
   */
  default void deferred(String consumer, @Nullable MessageKey key, int attempt, Instant until) {}

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
