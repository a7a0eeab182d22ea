// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.guard;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.config.WheelOptions;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.guard.GuardedConsumer.GuardedHandler;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.it.SwitchableDataSource;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.tracking.TrackedPublisher;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.awaitility.Awaitility;

/** What one test has: a broker, a store, a publisher, workers, and names nobody else uses. */
final class GuardWorld implements AutoCloseable {
  static final Duration LEASE = Duration.ofMillis(1_500);
  static final GuardOptions OPTIONS =
      GuardOptions.builder().handlingLease(LEASE).earlyTolerance(Duration.ofMillis(300)).build();

  private static final AtomicLong NUMBER = new AtomicLong();
  private static final WheelOptions SMALL_WHEEL =
      WheelOptions.builder()
          .maxDelay(Duration.ofSeconds(90))
          .hands(
              List.of(
                  Duration.ofSeconds(10),
                  Duration.ofSeconds(1),
                  Duration.ofMillis(100),
                  Duration.ofMillis(10)))
          .build();

  private final Supplier<ConnectionFactory> broker;
  private final DataSource database;
  private final SwitchableDataSource storeDatabase;
  private final JdbcDelayStore store;
  private final long number = NUMBER.incrementAndGet();
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final Channel channel;
  private TrackedPublisher publisher;

  GuardWorld(Supplier<ConnectionFactory> broker, DataSource database)
      throws IOException, TimeoutException {
    this.broker = broker;
    this.database = database;
    this.storeDatabase = new SwitchableDataSource(database);
    this.store = JdbcDelayStore.builder(storeDatabase).build();
    Connection connection = broker.get().newConnection("test");
    open.push(() -> connection.abort(1_000));
    this.channel = connection.createChannel();
  }

  JdbcDelayStore store() {
    return store;
  }

  DataSource database() {
    return database;
  }

  void storeDown(boolean down) {
    storeDatabase.down(down);
  }

  Channel channel() {
    return channel;
  }

  String name(String part) {
    return part + "-" + number;
  }

  String queue(String name, Map<String, Object> arguments) throws IOException {
    return channel.queueDeclare(name(name), true, false, false, arguments).getQueue();
  }

  String queue(String name) throws IOException {
    return queue(name, Map.of());
  }

  /** A topic exchange of that name; each queue gets all of it. */
  String exchange(String name, String... queues) throws IOException {
    channel.exchangeDeclare(name(name), BuiltinExchangeType.TOPIC, true);
    for (String queue : queues) {
      channel.queueBind(queue, name(name), "#");
    }
    return name(name);
  }

  /** A tracked route of the exchange's or queue's own name. */
  static DelayRoute tracked(String exchange, String routingKey) {
    DelayRoute route =
        exchange.isEmpty()
            ? DelayRoute.builder(routingKey).routingKey(routingKey).build()
            : DelayRoute.builder(exchange).exchange(exchange).build();
    return route.toBuilder().tracking(Tracking.FULL).build();
  }

  /** A route whose messages the broker holds, and which have a row as well. */
  static DelayRoute handedOff(String queue) {
    return DelayRoute.builder(queue).routingKey(queue).tracking(Tracking.HANDOFF).build();
  }

  static HoldOptions hold() {
    return HoldOptions.builder().wheel(SMALL_WHEEL).build();
  }

  /** Opens the publisher, once. */
  TrackedPublisher publisher(DelayRoute... routes) {
    LoaderOptions often = LoaderOptions.builder().sweep(Duration.ofMillis(200)).build();
    DelayRoutes all = DelayRoutes.builder().hold(hold()).loader(often).build();
    for (DelayRoute route : routes) {
      all = all.toBuilder().route(route).build();
    }
    publisher =
        DelayedPublisher.builder(broker.get()).routes(all).build(TrackedPublisher.with(store));
    open.push(publisher);
    Loader loader = new Loader(publisher);
    open.push(loader);
    loader.start();
    return publisher;
  }

  PublishReceipt publish(DelayedMessage message) throws Exception {
    PublishReceipt receipt = publisher.publish(message).get(10, TimeUnit.SECONDS);
    assertThat(receipt.confirmed()).as("%s", receipt).isTrue();
    return receipt;
  }

  /** Publishes and waits until it is in its queue, where nobody consumes yet. */
  MessageKey arrived(String queue, DelayedMessage message) throws Exception {
    long before = waiting(queue);
    MessageKey key = key(publish(message));
    awaitWaiting(queue, before + 1);
    return key;
  }

  void awaitWaiting(String queue, long count) {
    Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> waiting(queue) == count);
  }

  /** Publishes and waits until the broker holds it; on a slow machine it may be due by then. */
  MessageKey held(DelayedMessage message) throws Exception {
    MessageKey key = key(publish(message));
    awaitState(key, MessageState.HELD, MessageState.SETTLED);
    return key;
  }

  static MessageKey key(PublishReceipt receipt) {
    return new MessageKey(receipt.route(), receipt.id());
  }

  Worker worker(String queue, GuardedHandler handler) throws Exception {
    return worker(queue, OPTIONS, handler);
  }

  Worker worker(String queue, GuardOptions options, GuardedHandler handler) throws Exception {
    Worker worker =
        new Worker(broker.get(), store, publisher.unwrap(HandOff.class), queue, options, handler);
    open.push(worker);
    return worker;
  }

  StoredMessage find(MessageKey key) {
    return store.find(key).orElseThrow();
  }

  StoredMessage awaitState(MessageKey key, MessageState... states) {
    return Awaitility.await(key + " " + Arrays.toString(states))
        .atMost(Duration.ofSeconds(20))
        .pollInterval(Duration.ofMillis(20))
        .until(() -> find(key), row -> List.of(states).contains(row.state()));
  }

  long waiting(String queue) throws IOException {
    return channel.messageCount(queue);
  }

  @Override
  public void close() throws Exception {
    storeDown(false);
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }
}
