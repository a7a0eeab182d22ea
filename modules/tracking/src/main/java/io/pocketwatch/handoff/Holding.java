// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.handoff;

import com.rabbitmq.client.Delivery;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoutes;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/** Puts received messages back on hold. Thread-safe. */
public interface Holding {
  /**
   * Publishes a received message again, to its queue alone. It arrives there at that instant, or
   * earlier where no hold lasts so long. It keeps its id, route, generation and {@code deliverAt},
   * and its target in headers, from which the guard restores it. Dead-letter headers, {@code
   * expiration} and other queues' copies are left out.
   *
   * <p>The future ends as that of {@link DelayedPublisher#publish}. Until it has ended with {@link
   * PublishReceipt#confirmed}, the received copy is the only one and must not be acknowledged.
   *
   * @param queue the queue where it was consumed
   * @param until on the clock of {@link #now}
   */
  CompletableFuture<PublishReceipt> holdAgain(String queue, Delivery received, Instant until);

  /** The present time on the publisher's clock: the store's, if it has one. */
  Instant now();

  /** The routes by which the guard knows a message without a row, and its retries. */
  DelayRoutes routes();
}
