// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import com.rabbitmq.client.Delivery;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.handoff.Holding;
import io.pocketwatch.internal.rows.RequeuedHold;
import io.pocketwatch.spi.Planning;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/** Holds messages again for a publisher without a store. */
public record BrokerHolding(Planning planning, DelayRoutes routes) implements Holding {
  @Override
  public CompletableFuture<PublishReceipt> holdAgain(
      String queue, Delivery received, Instant until) {
    return planning.publish(RequeuedHold.submission(queue, received, until, now(), routes));
  }

  @Override
  public Instant now() {
    return planning.now();
  }
}
