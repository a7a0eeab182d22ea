// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import com.rabbitmq.client.Delivery;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.server.api.Backend;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.HandOffResult;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** That of whichever publisher there is: a changed configuration brings another. */
record CurrentHandOff(Backend backend) implements HandOff {
  private HandOff current() {
    return backend.publisher().unwrap(HandOff.class);
  }

  @Override
  public Prepared prepare(DelayedMessage message) {
    return current().prepare(message);
  }

  @Override
  public CompletableFuture<HandOffResult> handOff(Claim claim) {
    return current().handOff(claim);
  }

  @Override
  public void committed(Prepared prepared) {
    current().committed(prepared);
  }

  @Override
  public CompletableFuture<PublishReceipt> holdAgain(
      String queue, Delivery received, Instant until) {
    return current().holdAgain(queue, received, until);
  }

  @Override
  public OptionalInt claimDue(String route, int rows, String owner, Consumer<List<Claim>> claimed) {
    return current().claimDue(route, rows, owner, claimed);
  }

  @Override
  public int claimedDue(String route) {
    return current().claimedDue(route);
  }

  @Override
  public Conclusion failed(HandOffResult result) {
    return current().failed(result);
  }

  @Override
  public Instant now() {
    return current().now();
  }

  @Override
  public DelayRoutes routes() {
    return current().routes();
  }

  @Override
  public Instant horizon() {
    return current().horizon();
  }
}
