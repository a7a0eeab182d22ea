// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.recovery;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.PocketwatchEvent;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.guard.ConsumerEvent;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.guard.GuardedConsumer;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.store.SettlingStore;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A process with some guarded consumers of the route's queue. */
final class Workers implements AutoCloseable, PocketwatchListener {
  private final AtomicInteger arrivals = new AtomicInteger();
  private final AtomicInteger skipped = new AtomicInteger();
  private final ExecutorService threads;
  private final Connection connection;
  private final DeliveryGuard guard;
  private final List<GuardedConsumer> consumers = new ArrayList<>();

  Workers(ConnectionFactory factory, SettlingStore store, HandOff handOff, int channels, Work work)
      throws Exception {
    this(factory, store, handOff, channels, work, Duration.ofSeconds(30));
  }

  Workers(
      ConnectionFactory factory,
      SettlingStore store,
      HandOff handOff,
      int channels,
      Work work,
      Duration lease)
      throws Exception {
    GuardOptions options =
        GuardOptions.builder().handlingLease(lease).earlyTolerance(Duration.ZERO).build();
    this.guard = new DeliveryGuard(store, handOff, options, this);
    this.threads = Executors.newFixedThreadPool(channels);
    factory.setAutomaticRecoveryEnabled(false);
    this.connection = factory.newConnection(threads, "workers");
    for (int i = 0; i < channels; i++) {
      consumers.add(
          guard.consume(
              connection.createChannel(),
              RecoveryWorld.ROUTE,
              delivery -> work.handle(delivery.delayed().orElseThrow().id(), delivery)));
    }
  }

  /** Copies that were let through. */
  int arrivals() {
    return arrivals.get();
  }

  /** Copies of what was cancelled, moved or done before. */
  int skipped() {
    return skipped.get();
  }

  @Override
  public void onEvent(PocketwatchEvent event) {
    if (event instanceof ConsumerEvent.Delivered) {
      arrivals.incrementAndGet();
    } else if (event instanceof ConsumerEvent.Skipped) {
      skipped.incrementAndGet();
    }
  }

  @Override
  public void close() throws IOException, InterruptedException {
    for (GuardedConsumer consumer : consumers) {
      if (connection.isOpen()) {
        consumer.close();
      }
    }
    guard.close();
    connection.abort(1_000);
    threads.shutdown();
    threads.awaitTermination(10, TimeUnit.SECONDS);
  }
}
