// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.tracking;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.spi.PublisherSettings;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.IdConflictException;
import io.pocketwatch.store.SchedulingStore;
import io.pocketwatch.store.StoreException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A publisher with a store, which keeps tracked messages and those due beyond the horizon. Instants
 * are on the store's clock.
 *
 * <pre>{@code
 * TrackedPublisher publisher =
 *     DelayedPublisher.builder(connectionFactory).routes(routes).build(TrackedPublisher.with(store));
 * }</pre>
 */
public interface TrackedPublisher extends DelayedPublisher {
  /**
   * For {@link DelayedPublisher.Builder#build(Function)}, which then throws {@link StoreException}
   * if the store does not answer.
   *
   * @param store the store, which the publisher does not close
   */
  static Function<PublisherSettings, TrackedPublisher> with(DelayStore store) {
    return settings -> DefaultTrackedPublisher.open(settings, store);
  }

  /**
   * The publisher, cast to one with a store.
   *
   * @throws IllegalStateException if it was built without one
   */
  static TrackedPublisher of(DelayedPublisher publisher) {
    if (publisher instanceof TrackedPublisher tracked) {
      return tracked;
    }
    throw new IllegalStateException(
        "this publisher was built without a store; build it with TrackedPublisher.with(store)");
  }

  /**
   * As {@link DelayedPublisher#publish}; a message that is stored is {@code CONFIRMED} when the
   * database has committed it. The future ends with {@link IdConflictException} if the store has
   * another message under its id: nothing was stored.
   */
  @Override
  CompletableFuture<PublishReceipt> publish(DelayedMessage message);

  /**
   * Cancels a stored message ({@link DelayStrategy#STORE}) in the store, others as without one. If
   * the store does not answer, the result is {@link ChangeOutcome#UNCERTAIN}. Ask again: a repeated
   * cancel is {@code DONE}.
   */
  @Override
  CompletableFuture<ChangeOutcome> cancel(PublishReceipt receipt);

  /** The store, to cancel, reschedule, find, list and count messages in. */
  SchedulingStore store();

  /**
   * Also gives {@code HandOff} and {@code RowPlanning} of {@code io.pocketwatch.handoff}, and the
   * {@link DelayStore} of this publisher.
   */
  @Override
  <T> T unwrap(Class<T> part);

  /** Waits for its hand-offs first, for at most twice the {@code confirm-timeout}. */
  @Override
  void close();
}
