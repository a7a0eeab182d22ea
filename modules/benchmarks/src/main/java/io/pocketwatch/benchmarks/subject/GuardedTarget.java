// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.subject;

import com.rabbitmq.client.Connection;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardListener;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.MessageKey;
import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Consumes the target queue through the guard, on as many channels as handlers are to work at the
 * same time. Settled is arrived.
 */
final class GuardedTarget implements AutoCloseable {
  /** As many as the best of db-scheduler has threads. */
  static final int CONSUMERS = 40;

  private final DeliveryGuard guard;
  private final Connection connection;
  private final ExecutorService threads;

  private GuardedTarget(DeliveryGuard guard, Connection connection, ExecutorService threads) {
    this.guard = guard;
    this.connection = connection;
    this.threads = threads;
  }

  static GuardedTarget consume(
      RabbitServer.VirtualHost host, DelayStore store, DelayedPublisher publisher, Ledger ledger)
      throws Exception {
    GuardListener arrivals =
        new GuardListener() {
          @Override
          public void settled(String consumer, MessageKey key) {
            ledger.arrived(Integer.parseInt(key.id()));
          }
        };
    DeliveryGuard guard =
        new DeliveryGuard(store, publisher.handOver(), GuardOptions.defaults(), arrivals);
    // The client's own pool has two threads per core, and a handler waits for commits.
    ExecutorService threads = Executors.newFixedThreadPool(CONSUMERS);
    Connection connection = host.connectionFactory().newConnection(threads);
    for (int i = 0; i < CONSUMERS; i++) {
      guard.consume(connection.createChannel(), TargetQueue.KEY, delivery -> {});
    }
    return new GuardedTarget(guard, connection, threads);
  }

  @Override
  public void close() throws IOException {
    connection.close();
    threads.shutdown();
    guard.close();
  }
}
