// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PocketwatchEvent;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.guard.ConsumerEvent;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import io.pocketwatch.testkit.store.Handlings;
import io.pocketwatch.tracking.TrackedPublisher;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.aopalliance.aop.Advice;
import org.awaitility.Awaitility;
import org.h2.jdbcx.JdbcConnectionPool;
import org.springframework.amqp.rabbit.annotation.EnableRabbit;
import org.springframework.amqp.rabbit.config.AbstractRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.config.DirectRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.config.RetryInterceptorBuilder;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** What one test has: a broker, a store, a publisher, and an application with a listener. */
final class ListenerWorld implements AutoCloseable {
  static final Duration SHORT = Duration.ofMillis(700);
  static final GuardOptions OPTIONS =
      GuardOptions.builder()
          .handlingLease(Duration.ofMillis(1_500))
          .earlyTolerance(Duration.ofMillis(300))
          .storePatience(Duration.ofSeconds(20))
          .build();

  private static final AtomicLong NUMBER = new AtomicLong();

  private final Supplier<ConnectionFactory> broker;

  /** One entry for each row that was settled. */
  final BlockingQueue<MessageKey> settled = new LinkedBlockingQueue<>();

  private final JdbcConnectionPool pool;
  final SwitchableDataSource database;
  final JdbcDelayStore store;
  final DelayRoutes routes;
  final TrackedPublisher publisher;
  final DeliveryGuard guard;
  private final GuardOptions options;
  final Channel channel;
  final String queue = "work-" + NUMBER.incrementAndGet();
  final CachingConnectionFactory springs;

  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  ListenerWorld(Supplier<ConnectionFactory> broker) throws Exception {
    this(broker, OPTIONS);
  }

  ListenerWorld(Supplier<ConnectionFactory> broker, GuardOptions options) throws Exception {
    this.broker = broker;
    pool =
        JdbcConnectionPool.create(
            "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=2000", "sa", "");
    open.push(pool::dispose);
    database = new SwitchableDataSource(pool);
    JdbcSchema.create(database);
    store = JdbcDelayStore.builder(database).build();
    Connection connection = broker.get().newConnection("test");
    open.push(() -> connection.abort(1_000));
    channel = connection.createChannel();
    declare(queue, Map.of());
    declare(queue + ".dead", Map.of());
    exchange(queue + ".fan", queue);
    routes =
        DelayRoutes.builder()
            .route(tracked(DelayRoute.builder("direct").routingKey(queue).build()))
            .route(tracked(DelayRoute.builder("one").exchange(queue + ".fan").build()))
            .route(
                tracked(
                    DelayRoute.builder("ladder")
                        .routingKey(queue + ".ladder")
                        .retries(Duration.ofMillis(200), Duration.ofMillis(400))
                        .build()))
            .loader(LoaderOptions.builder().sweep(Duration.ofMillis(500)).build())
            .build();
    publisher =
        DelayedPublisher.builder(broker.get()).routes(routes).build(TrackedPublisher.with(store));
    open.push(publisher);
    Loader loader = new Loader(publisher); // brings what is put off or abandoned
    loader.start();
    open.push(loader);
    this.options = options;
    guard = new DeliveryGuard(store, publisher.unwrap(HandOff.class), options, new Events());
    open.push(guard);
    ConnectionFactory unrecovered = broker.get();
    unrecovered.setAutomaticRecoveryEnabled(false);
    springs = new CachingConnectionFactory(unrecovered);
  }

  private final class Events implements PocketwatchListener {
    @Override
    public void onEvent(PocketwatchEvent event) {
      if (event instanceof ConsumerEvent.Settled one) {
        settled.add(one.key());
      }
    }
  }

  private static DelayRoute tracked(DelayRoute route) {
    return route.toBuilder().tracking(Tracking.FULL).build();
  }

  /** With a dead-letter queue of its own: its name, and {@code .dead}. */
  void declare(String name, Map<String, Object> arguments) throws IOException {
    boolean dead = name.endsWith(".dead");
    channel.queueDeclare(
        name,
        true,
        false,
        false,
        dead || !arguments.isEmpty()
            ? arguments
            : Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", name + ".dead"));
  }

  void exchange(String name, String... queues) throws IOException {
    channel.exchangeDeclare(name, BuiltinExchangeType.FANOUT, true);
    for (String bound : queues) {
      channel.queueBind(bound, name, "");
    }
  }

  /** An application with that listener, whose endpoints may name {@code ${queue}}. */
  AnnotationConfigApplicationContext simple(
      Object listener, Consumer<SimpleRabbitListenerContainerFactory> tune) {
    SimpleRabbitListenerContainerFactory factory = new SimpleRabbitListenerContainerFactory();
    tune.accept(factory);
    return start(listener, factory, guard);
  }

  AnnotationConfigApplicationContext direct(
      Object listener, Consumer<DirectRabbitListenerContainerFactory> tune) {
    DirectRabbitListenerContainerFactory factory = new DirectRabbitListenerContainerFactory();
    tune.accept(factory);
    return start(listener, factory, guard);
  }

  /** What an application without a store has. */
  private DelayedPublisher withoutStore() {
    DelayedPublisher made = DelayedPublisher.builder(broker.get()).connectOnDemand().build();
    open.push(made);
    return made;
  }

  /** In the one kind of container or in the other. */
  AnnotationConfigApplicationContext consume(boolean simple, Object listener) {
    return simple ? simple(listener, factory -> {}) : direct(listener, factory -> {});
  }

  AnnotationConfigApplicationContext start(
      Object listener, AbstractRabbitListenerContainerFactory<?> factory, DeliveryGuard by) {
    AnnotationConfigApplicationContext context = context(by);
    factory.setConnectionFactory(springs);
    register(context, "rabbitListenerContainerFactory", factory);
    register(context, "listener", listener);
    context.refresh();
    return context;
  }

  /** Not yet refreshed. */
  AnnotationConfigApplicationContext context(DeliveryGuard by) {
    AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    context
        .getEnvironment()
        .getPropertySources()
        .addFirst(new MapPropertySource("test", Map.of("queue", queue)));
    context.register(Rabbit.class);
    register(context, "connections", springs);
    context.registerBean(
        ListenerGuardPostProcessor.class,
        () ->
            new ListenerGuardPostProcessor(
                () -> by, this::withoutStore, () -> routes, () -> options));
    open.push(context);
    return context;
  }

  @SuppressWarnings("unchecked")
  static <T> void register(AnnotationConfigApplicationContext context, String name, T bean) {
    context.registerBean(name, (Class<T>) bean.getClass(), () -> bean);
  }

  @EnableRabbit
  static class Rabbit {}

  /**
   * Publishes a tracked message to the queue, to arrive in a moment. Its row says that it was sent
   * a while later, or when its handling has ended.
   */
  MessageKey held(String body) throws Exception {
    return held(DelayedMessage.toQueue(queue).body(body.getBytes()).delay(SHORT));
  }

  MessageKey held(DelayedMessage message) throws Exception {
    PublishReceipt receipt = publisher.publish(message).get(10, TimeUnit.SECONDS);
    assertThat(receipt.confirmed()).as("%s", receipt).isTrue();
    return new MessageKey(receipt.route(), receipt.id());
  }

  StoredMessage find(MessageKey key) {
    return store.find(key).orElseThrow();
  }

  void awaitState(MessageKey key, MessageState... states) {
    Awaitility.await(key.toString())
        .atMost(Duration.ofSeconds(20))
        .pollInterval(Duration.ofMillis(20))
        .until(() -> find(key).state(), List.of(states)::contains);
  }

  void awaitWaiting(String name, long count) {
    Awaitility.await(name)
        .atMost(Duration.ofSeconds(20))
        .pollInterval(Duration.ofMillis(50))
        .until(() -> channel.messageCount(name) == count);
  }

  /** One more copy of a tracked message, straight to a queue. */
  void copy(String to, MessageKey key) throws IOException {
    channel.basicPublish("", to, Copies.tracked(key), "copy".getBytes());
  }

  /** As if another process were handling it, until its lease ends. */
  Handling elsewhere(MessageKey key, Duration lease) {
    return Handlings.of(store).begin(key, 1, queue, lease).handling();
  }

  /** Around a listener that may fail: two more, at once. */
  static Advice threeAttempts() {
    return RetryInterceptorBuilder.stateless()
        .configureRetryPolicy(policy -> policy.maxRetries(2).delay(Duration.ZERO))
        .build();
  }

  static <T> T next(BlockingQueue<T> arrivals) throws InterruptedException {
    T arrival = arrivals.poll(20, TimeUnit.SECONDS);
    assertThat(arrival).as("something arrives").isNotNull();
    return arrival;
  }

  @Override
  public void close() throws Exception {
    database.down(false);
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }
}
