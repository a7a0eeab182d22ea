// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Isolation;
import io.pocketwatch.config.DelayRoute.UserExpiration;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.Stream;

/**
 * One broker, one publisher on it, and the strategies to hold it to the contract with. Shared by
 * all tests of a run, which may go on at the same time.
 */
public final class ContractSetup implements AutoCloseable {
  /** The delays with a TTL queue of their own, shortest first. */
  static final List<Duration> DELAYS = millis(100, 200, 300, 500, 1_000, 1_500, 2_000, 3_000);

  /** The default delay of the route of that name. */
  static final Duration DEFAULT_DELAY = Duration.ofMillis(500);

  private static final Duration FAR = Duration.ofMinutes(50);

  static final String DEFAULT_DELAY_ROUTE = "default-delay";
  static final String DROP_EXPIRATION_ROUTE = "drop-expiration";
  static final String ISOLATED_ROUTE = "isolated";

  private final ConnectionFactory factory;
  private final HoldOptions hold;
  private final List<DelayStrategy> strategies;
  private final ReadWriteLock turns = new ReentrantReadWriteLock(true);
  private final Connection connection;
  private final DelayedPublisher publisher;

  private ContractSetup(ConnectionFactory factory, HoldOptions hold, List<DelayStrategy> strategies)
      throws IOException, TimeoutException {
    this.factory = factory;
    this.hold = hold;
    this.strategies = List.copyOf(strategies);
    publisher = DelayedPublisher.builder(factory).routes(routes(hold, this.strategies)).build();
    connection = factory.newConnection("contract consumer");
  }

  /**
   * Connects and declares the hold topology, which stays on the broker.
   *
   * @param hold with a name prefix that no other run on this broker uses, and a wheel of an hour at
   *     least
   * @param strategies each must be one the broker offers
   */
  public static ContractSetup open(
      ConnectionFactory factory, HoldOptions hold, DelayStrategy... strategies)
      throws IOException, TimeoutException {
    ContractSetup setup = new ContractSetup(factory, hold, List.of(strategies));
    assertThat(strategies).isNotEmpty();
    assertThat(setup.publisher.status().strategies()).contains(strategies);
    return setup;
  }

  private static DelayRoutes routes(HoldOptions hold, List<DelayStrategy> strategies) {
    Duration[] delays = DELAYS.toArray(Duration[]::new);
    DelayRoute defaults = DelayRoute.defaults().toBuilder().delays(delays).build();
    for (DelayStrategy asked :
        List.of(DelayStrategy.DELAYED_EXCHANGE, DelayStrategy.DELIVERY_TIME)) {
      if (strategies.contains(asked)) { // declared only for a route that names it
        defaults = defaults.toBuilder().strategy(asked).build();
      }
    }
    return DelayRoutes.builder()
        .hold(hold)
        .defaults(defaults)
        .route(
            named(DEFAULT_DELAY_ROUTE).toBuilder()
                .delays(delays)
                .defaultDelay(DEFAULT_DELAY)
                .build())
        .route(
            named(DROP_EXPIRATION_ROUTE).toBuilder()
                .delays(delays)
                .userExpiration(UserExpiration.DROP)
                .build())
        .route(
            named(ISOLATED_ROUTE).toBuilder()
                .delays(delays)
                .isolation(Isolation.DESTINATION)
                .build())
        .build();
  }

  /** Tests choose these routes by name; their own targets are never used. */
  private static DelayRoute named(String route) {
    return DelayRoute.builder(route).exchange("contract-" + route).build();
  }

  List<DelayStrategy> strategies() {
    return strategies;
  }

  DelayedPublisher publisher() {
    return publisher;
  }

  /** Shared by tests that run side by side, exclusive for one that must be alone. */
  ReadWriteLock turns() {
    return turns;
  }

  /** For declaring, consuming, and publishing without Pocketwatch. */
  Connection connection() {
    return connection;
  }

  String namePrefix() {
    return hold.namePrefix();
  }

  String userName() {
    return factory.getUsername();
  }

  Duration resolution() {
    return hold.wheel().resolution();
  }

  /** Delays the strategy can hold, from the shortest to three seconds. */
  static List<Duration> delays(DelayStrategy strategy) {
    return strategy == DelayStrategy.TTL_QUEUE
        ? DELAYS
        : millis(
            1, 9, 10, 11, 99, 100, 101, 110, 250, 333, 999, 1_000, 1_001, 1_010, 1_999, 2_000,
            2_345, 3_000);
  }

  /** Publishes all at once, and waits for the broker's word that it has them. */
  List<PublishReceipt> publish(DelayedMessage... messages) {
    return publish(List.of(messages));
  }

  /** Publishes all at once, and waits for the broker's word that it has them. */
  List<PublishReceipt> publish(List<DelayedMessage> messages) {
    // The first message to a destination waits for its binding, and what has waited rides the wheel
    // instead of a TTL queue. So one that is not due before all is deleted goes ahead.
    confirmed(
        messages.stream()
            .filter(message -> message.strategy() == DelayStrategy.TTL_QUEUE)
            .map(message -> message.delay(FAR).strategy(DelayStrategy.QUEUE_WHEEL)));
    return confirmed(messages.stream());
  }

  private List<PublishReceipt> confirmed(Stream<DelayedMessage> messages) {
    List<CompletableFuture<PublishReceipt>> futures = messages.map(publisher::publish).toList();
    List<PublishReceipt> receipts = futures.stream().map(CompletableFuture::join).toList();
    assertThat(receipts).allMatch(PublishReceipt::confirmed, "confirmed");
    return receipts;
  }

  /** Publishes as an application without Pocketwatch would. */
  void publishPlain(String exchange, String routingKey, BasicProperties properties, byte[] body)
      throws IOException, TimeoutException {
    try (Channel channel = connection.createChannel()) {
      channel.basicPublish(exchange, routingKey, properties, body);
    }
  }

  private static List<Duration> millis(long... millis) {
    return Arrays.stream(millis).mapToObj(Duration::ofMillis).toList();
  }

  @Override
  public void close() throws IOException {
    publisher.close();
    connection.close();
  }
}
