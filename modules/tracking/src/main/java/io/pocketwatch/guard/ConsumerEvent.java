// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import io.pocketwatch.PocketwatchEvent;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore.Begun;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What a guard tells of the messages of its consumers. */
public sealed interface ConsumerEvent extends PocketwatchEvent {
  /** The name that messages are settled under. */
  String consumer();

  /** The message's row; null for a message without one. */
  @Nullable MessageKey key();

  /** That of its row; without one the route configured here for where it was sent to. */
  default String route() {
    MessageKey key = key();
    return key == null ? DelayRoute.DEFAULTS : key.route();
  }

  /**
   * A message goes to its handler.
   *
   * @param lateness arrival minus {@code deliverAt}; null for a message that was never delayed, or
   *     that its consumer has deferred
   */
  record Delivered(
      String consumer, @Nullable MessageKey key, String route, @Nullable Duration lateness)
      implements ConsumerEvent {}

  /** Settled, by the guard or in the handler's transaction. */
  record Settled(String consumer, MessageKey key) implements ConsumerEvent {}

  /** The handler was done, but the handling was no longer its own: someone else took it over. */
  record Overtaken(String consumer, MessageKey key) implements ConsumerEvent {}

  /** The handler threw, or the message was rejected. */
  record Failed(String consumer, @Nullable MessageKey key, String route, Throwable cause)
      implements ConsumerEvent {}

  /**
   * A message comes again: its consumer has deferred it, or has failed and its route has it tried
   * again.
   *
   * @param attempt which attempt that will be, from 2 on
   * @param until not before then
   */
  record Deferred(
      String consumer, @Nullable MessageKey key, String route, int attempt, Instant until)
      implements ConsumerEvent {}

  /** A copy was not handled, for that reason. */
  record Skipped(String consumer, MessageKey key, Begun.Verdict verdict) implements ConsumerEvent {}

  /** A copy came before its instant, and the broker holds it again until then. */
  record HeldAgain(String consumer, @Nullable MessageKey key, String route, Instant until)
      implements ConsumerEvent {}

  /**
   * A queue's consumer is stopped, since it got a copy of a message that is another's. All its
   * messages stay in its queue until it consumes anew. {@link DeliveryGuard#stopped} tells as long
   * as it is so.
   *
   * @param consumer the one that is stopped; its queue, unless the guard was given another name
   * @param other whose the message is
   */
  record OtherConsumer(String consumer, MessageKey key, String other) implements ConsumerEvent {
    /** What has happened and what to do, in one line for people. */
    public String description() {
      return ("consumer '%1$s' is stopped and its messages stay in their queue: it got a copy of %2$s,"
              + " which belongs to '%3$s'. With tracking 'full' a message has one consumer: schedule"
              + " one message for each queue (toQueue), use tracking 'handoff', or have '%3$s'"
              + " publish to the others; then start '%1$s' again")
          .formatted(consumer, key, other);
    }
  }

  /** The store does not know a tracked message; it is delivered. */
  record Unknown(String consumer, MessageKey key) implements ConsumerEvent {}

  /** The store did not answer; told for each attempt. */
  record StoreUnreachable(String consumer, MessageKey key, RuntimeException cause)
      implements ConsumerEvent {}

  /**
   * The broker has ended the consumer: its queue was deleted or lost its node, or its channel was
   * closed. Messages wait until somebody consumes again. Not told for a lost connection.
   */
  record Stopped(String consumer, String reason) implements ConsumerEvent {
    @Override
    public @Nullable MessageKey key() {
      return null;
    }
  }
}
