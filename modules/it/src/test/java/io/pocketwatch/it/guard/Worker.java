// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.guard;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayedDelivery;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.guard.GuardedConsumer;
import io.pocketwatch.guard.GuardedConsumer.GuardedHandler;
import io.pocketwatch.guard.GuardedDelivery;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.store.DelayStore;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;

/** A process that consumes one queue through a guard of its own. */
final class Worker implements AutoCloseable {
  private final Connection connection;
  private final AtomicReference<Socket> socket = new AtomicReference<>();
  private final Events events = new Events();
  private final DeliveryGuard guard;
  private final GuardedConsumer consumer;
  private final Queue<Handled> handled = new ConcurrentLinkedQueue<>();

  Worker(
      ConnectionFactory factory,
      DelayStore store,
      HandOff handOff,
      String queue,
      GuardOptions options,
      GuardedHandler handler)
      throws IOException, TimeoutException {
    this.guard = new DeliveryGuard(store, handOff, options, events);
    factory.setAutomaticRecoveryEnabled(false);
    factory.setSocketConfigurator(socket::set);
    this.connection = factory.newConnection("worker of " + queue);
    this.consumer =
        guard.consume(
            connection.createChannel(),
            queue,
            delivery -> {
              handled.add(new Handled(Instant.now(), delivery));
              handler.handle(delivery);
            });
  }

  Events events() {
    return events;
  }

  DeliveryGuard guard() {
    return guard;
  }

  GuardedConsumer consumer() {
    return consumer;
  }

  /** What its handler was called with, also where it failed or did not end. */
  List<Handled> handled() {
    return List.copyOf(handled);
  }

  List<Handled> await(int count) {
    Awaitility.await(count + " handled")
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(20))
        .until(() -> handled.size() >= count);
    return handled();
  }

  /** Its socket is gone, without a word to the broker. The rest of the process lives on. */
  void loseConnection() throws IOException {
    socket.get().close();
  }

  /** The process is gone: nothing is acknowledged, and no lease renewed. */
  void die() throws IOException {
    guard.close();
    loseConnection();
  }

  @Override
  public void close() {
    guard.close();
    connection.abort(1_000);
  }

  /** One call of the handler. */
  record Handled(Instant at, GuardedDelivery delivery) {
    DelayedDelivery delayed() {
      return delivery.delayed().orElseThrow();
    }

    String id() {
      return delayed().id();
    }
  }
}
