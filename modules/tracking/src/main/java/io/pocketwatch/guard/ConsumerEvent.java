// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import io.pocketwatch.PocketwatchEvent;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore.Begun;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The events of a guard, on messages of its consumers. */
public sealed interface ConsumerEvent extends PocketwatchEvent {
  /** The name under which the consumer settles messages. */
  String consumer();

  /** The message's row; null for a message without one. */
  @Nullable MessageKey key();

  /** The route of the message's row; without a row, the route configured for its target. */
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

  /** The handler was done, but another handling had taken the message over. */
  record Overtaken(String consumer, MessageKey key) implements ConsumerEvent {}

  /** The handler threw, or the message was rejected. */
  record Failed(String consumer, @Nullable MessageKey key, String route, Throwable cause)
      implements ConsumerEvent {}

  /**
   * A message comes again: its consumer has deferred it, or has failed and the route retries it.
   *
   * @param attempt the number of that attempt, from 2 on
   * @param until the earliest instant of that attempt
   */
  record Deferred(
      String consumer, @Nullable MessageKey key, String route, int attempt, Instant until)
      implements ConsumerEvent {}

  /** A copy was not handled; the verdict says why. */
  record Skipped(String consumer, MessageKey key, Begun.Verdict verdict) implements ConsumerEvent {}

  /** A copy came before its instant, and the broker holds it again until then. */
  record HeldAgain(String consumer, @Nullable MessageKey key, String route, Instant until)
      implements ConsumerEvent {}

  /**
   * A queue's consumer is stopped, since it got a copy of another consumer's message. All its
   * messages stay in its queue until it consumes anew. {@link DeliveryGuard#stopped} lists it until
   * then.
   *
   * @param consumer the stopped one: the name of its queue, unless the guard was given another
   * @param other the consumer to which the message belongs
   */
  record OtherConsumer(String consumer, MessageKey key, String other) implements ConsumerEvent {
    /** The problem and what to do, in one line for people. */
    public String description() {
      return ("consumer '%1$s' is stopped and its messages stay in their queue: it got a copy of %2$s,"
              + " which belongs to '%3$s'. With tracking 'full' a message has one consumer: schedule"
              + " one message for each queue (toQueue), use tracking 'handoff', or have '%3$s'"
              + " publish to the others; then start '%1$s' again")
          .formatted(consumer, key, other);
    }
  }

  /** The store has no row of a tracked message, which is handled. */
  record Unknown(String consumer, MessageKey key) implements ConsumerEvent {}

  /** The store did not answer; sent for each attempt. */
  record StoreUnreachable(String consumer, MessageKey key, RuntimeException cause)
      implements ConsumerEvent {}

  /**
   * The broker has ended the consumer: its queue was deleted or lost its node, or its channel was
   * closed. Messages wait until somebody consumes again. Not sent for a lost connection.
   */
  record Stopped(String consumer, String reason) implements ConsumerEvent {
    @Override
    public @Nullable MessageKey key() {
      return null;
    }
  }
}
