// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.publish;

import com.rabbitmq.client.Delivery;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.plan.HeldAgain;
import io.pocketwatch.spi.Planning.Holding;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;

/** What a publisher without a store holds again. */
record BrokerHolding(PublishPipeline pipeline, DelayRoutes routes, InstantSource clock)
    implements Holding {
  @Override
  public CompletableFuture<PublishReceipt> holdAgain(
      String queue, Delivery received, Instant until) {
    return pipeline.start(HeldAgain.submission(queue, received, until, now(), routes));
  }

  @Override
  public Instant now() {
    return clock.instant();
  }
}
