// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.PublisherOptions;
import io.pocketwatch.config.WheelOptions;
import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.tracking.TrackedPublisher;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/** What one test has on a node: a name prefix, a channel to look with, publishers and inboxes. */
final class World implements AutoCloseable {
  /** Four hands and 36 queues instead of 271: quick to declare, still several hops. */
  static final WheelOptions SMALL_WHEEL =
      WheelOptions.builder()
          .maxDelay(Duration.ofSeconds(90))
          .hands(
              List.of(
                  Duration.ofSeconds(10),
                  Duration.ofSeconds(1),
                  Duration.ofMillis(100),
                  Duration.ofMillis(10)))
          .build();

  private final BrokerNode node;
  private final String prefix;
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private Channel channel;

  World(BrokerNode node, String prefix) {
    this.node = node;
    this.prefix = prefix;
    this.channel = newChannel();
  }

  /** A world on the shared node of the newest version. */
  static World of(Class<?> test) {
    return new World(SharedNodes.of(SharedNodes.NEWEST), test.getSimpleName());
  }

  BrokerNode node() {
    return node;
  }

  String prefix() {
    return prefix;
  }

  /** The name of an exchange or queue of ours. */
  String ours(String part) {
    return prefix + "." + part;
  }

  /**
   * A small quorum wheel under this world's prefix, there from the start; answers within three
   * seconds.
   */
  DelayRoutes routes() {
    return DelayRoutes.builder()
        .defaults(DelayRoute.defaults().toBuilder().strategy(DelayStrategy.QUEUE_WHEEL).build())
        .hold(HoldOptions.builder().namePrefix(prefix).wheel(SMALL_WHEEL).build())
        .publisher(PublisherOptions.builder().confirmTimeout(Duration.ofSeconds(3)).build())
        .build();
  }

  DelayedPublisher publisher() {
    return publisher(routes());
  }

  DelayedPublisher publisher(DelayRoutes routes) {
    return publisher(node.connectionFactory(), routes);
  }

  DelayedPublisher publisher(ConnectionFactory factory, DelayRoutes routes) {
    return keep(DelayedPublisher.builder(factory).routes(routes).build());
  }

  TrackedPublisher publisher(DelayRoutes routes, DelayStore store) {
    return keep(
        DelayedPublisher.builder(node.connectionFactory())
            .routes(routes)
            .build(TrackedPublisher.with(store)));
  }

  /** A channel on a connection of its own that publishes nothing; a new one if it was closed. */
  synchronized Channel channel() {
    if (!channel.isOpen()) {
      channel = newChannel();
    }
    return channel;
  }

  private Channel newChannel() {
    try {
      ConnectionFactory factory = node.connectionFactory();
      factory.setAutomaticRecoveryEnabled(false);
      Connection connection = factory.newConnection("test");
      open.push(() -> connection.abort(1_000));
      return connection.createChannel();
    } catch (IOException | TimeoutException e) {
      throw new IllegalStateException("cannot connect to " + node, e);
    }
  }

  /** A durable exchange. */
  String exchange(String name, BuiltinExchangeType type) throws IOException {
    channel().exchangeDeclare(name, type, true);
    return name;
  }

  /** A durable classic queue. */
  String queue(String name) throws IOException {
    return queue(name, Map.of("x-queue-type", "classic"));
  }

  /** A durable queue, quorum or not, as the arguments say; empty. */
  String queue(String name, Map<String, Object> arguments) throws IOException {
    channel().queueDeclare(name, true, false, false, arguments);
    channel().queuePurge(name);
    return name;
  }

  /** A direct exchange with a classic queue bound by the key {@code key}; both have this name. */
  String target(String name) throws IOException {
    exchange(name, BuiltinExchangeType.DIRECT);
    queue(name);
    channel().queueBind(name, name, "key");
    return name;
  }

  Inbox inbox(String queue) {
    return keep(new Inbox(node.connectionFactory(), queue));
  }

  /** Whether there is a queue of that name. */
  boolean exists(String queue) {
    try {
      channel().queueDeclarePassive(queue);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  long count(String queue) throws IOException {
    return channel().messageCount(queue);
  }

  private synchronized <T extends AutoCloseable> T keep(T closeable) {
    open.push(closeable);
    return closeable;
  }

  @Override
  public synchronized void close() throws Exception {
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }
}
