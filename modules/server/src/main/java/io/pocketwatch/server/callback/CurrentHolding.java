// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import com.rabbitmq.client.Delivery;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.handoff.Holding;
import io.pocketwatch.server.api.Backend;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/** Delegates to the present publisher, which a reload replaces. */
record CurrentHolding(Backend backend) implements Holding {
  private Holding current() {
    return backend.publisher().unwrap(HandOff.class);
  }

  @Override
  public CompletableFuture<PublishReceipt> holdAgain(
      String queue, Delivery received, Instant until) {
    return current().holdAgain(queue, received, until);
  }

  @Override
  public Instant now() {
    return current().now();
  }

  @Override
  public DelayRoutes routes() {
    return current().routes();
  }
}
