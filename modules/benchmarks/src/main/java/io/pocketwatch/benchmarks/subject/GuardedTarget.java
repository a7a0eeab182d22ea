// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.subject;

import com.rabbitmq.client.Connection;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.Payload;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.tracking.TrackedPublisher;
import java.io.IOException;

/**
 * Consumes the target queue through the guard, as its options are by default. Handled is arrived,
 * as it is with the peers.
 */
final class GuardedTarget implements AutoCloseable {
  private final DeliveryGuard guard;
  private final Connection connection;

  private GuardedTarget(DeliveryGuard guard, Connection connection) {
    this.guard = guard;
    this.connection = connection;
  }

  static GuardedTarget consume(
      RabbitServer.VirtualHost host,
      DelayStore store,
      TrackedPublisher publisher,
      int channels,
      Ledger ledger)
      throws Exception {
    DeliveryGuard guard =
        new DeliveryGuard(
            store,
            publisher.unwrap(HandOff.class),
            GuardOptions.defaults(),
            PocketwatchListener.NONE);
    Connection connection = host.connect();
    for (int i = 0; i < channels; i++) {
      guard.consume(
          connection.createChannel(),
          TargetQueue.KEY,
          delivery -> ledger.arrived(Payload.number(delivery.body())));
    }
    return new GuardedTarget(guard, connection);
  }

  @Override
  public void close() throws IOException {
    guard.close();
    connection.close();
  }
}
