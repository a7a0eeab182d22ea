// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.amqp;

import com.rabbitmq.client.Connection;
import io.pocketwatch.benchmarks.harness.Ground;
import io.pocketwatch.benchmarks.harness.Lane;
import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.Server;
import io.pocketwatch.benchmarks.harness.Subject;
import io.pocketwatch.benchmarks.subject.ConfirmedChannels;
import io.pocketwatch.benchmarks.subject.RabbitServer;
import io.pocketwatch.benchmarks.subject.TargetQueue;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Another way to the target queue that ours lead to as well, with the same target, consumer and
 * publishing.
 */
record AmqpPeer(
    String name,
    String durability,
    Duration resolution,
    int expectedPerSecond,
    Broker broker,
    Opening opening,
    @Nullable Duration onlyDelay)
    implements Subject {

  /** For any delay. */
  AmqpPeer(
      String name,
      String durability,
      Duration resolution,
      int expectedPerSecond,
      Broker broker,
      Opening opening) {
    this(name, durability, resolution, expectedPerSecond, broker, opening, null);
  }

  @Override
  public Optional<Duration> fixedDelay() {
    return Optional.ofNullable(onlyDelay);
  }

  /** Finds or starts the server it runs on. */
  @FunctionalInterface
  interface Broker {
    RabbitServer on(Ground ground) throws Exception;
  }

  /**
   * Declares what it needs, where target exchange and queue are there already. The connection stays
   * open until the lane is closed.
   */
  @FunctionalInterface
  interface Opening {
    Detour open(Connection connection) throws Exception;
  }

  @Override
  public List<Server> servers(Ground ground) throws Exception {
    return List.of(broker.on(ground));
  }

  @Override
  public Lane open(Ground ground, Ledger ledger) throws Exception {
    RabbitServer.VirtualHost host = broker.on(ground).virtualHost();
    TargetQueue target = TargetQueue.consume(host.connect(), "quorum", ledger);
    Connection declaring = host.connect();
    Detour detour = opening.open(declaring);
    ConfirmedChannels channels = new ConfirmedChannels(host.connect(), detour.mandatory(), ledger);
    return new Lane() {
      @Override
      public void ask(int number, byte[] payload, long dueMillis) throws Exception {
        long delayMillis = Math.max(0, dueMillis - System.currentTimeMillis());
        detour.publish(channels, payload, delayMillis);
      }

      @Override
      public void close() throws IOException {
        channels.close();
        declaring.close();
        target.close();
        host.close();
      }
    };
  }
}
