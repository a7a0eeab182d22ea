// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.impl.DefaultExceptionHandler;
import com.sun.net.httpserver.HttpServer;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.guard.GuardedConsumer;
import io.pocketwatch.guard.GuardedDelivery;
import io.pocketwatch.internal.topology.BindingSpec;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.internal.topology.Destination;
import io.pocketwatch.internal.topology.ExchangeSpec;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.internal.topology.QueueSpec;
import io.pocketwatch.internal.topology.Topology;
import io.pocketwatch.server.broker.BrokerAddresses;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.server.broker.TolerantConnection;
import io.pocketwatch.server.config.ConfigurationFile;
import io.pocketwatch.server.deadletter.HoldCheck;
import io.pocketwatch.server.serve.RunningServer;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import io.pocketwatch.tracking.TrackedPublisher;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Published past Pocketwatch, to its exchanges and to queues that guarded consumers and callbacks
 * consume, beside messages that have to arrive.
 */
class HostileMessagesIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.version("4.3");

  private static final Logger LOG = LoggerFactory.getLogger(HostileMessagesIT.class);
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final int MAX_BODY = 1_000_000;
  private static final int ATTACKERS = 8;
  private static final List<String> ROUTES =
      List.of("tracked", "untracked", "called", "called-tracked");

  @TempDir private Path folder;
  private final Set<String> arrived = ConcurrentHashMap.newKeySet();
  private final Set<String> sent = ConcurrentHashMap.newKeySet();
  private final AtomicInteger broken = new AtomicInteger();
  private final List<AutoCloseable> open = new ArrayList<>();
  private final List<GuardedConsumer> consumers = new ArrayList<>();
  private TestDatabase database;
  private RunningServer server;
  private TrackedPublisher publisher;
  private DelayRoutes routes;
  private Connection connection;

  @BeforeEach
  void start() throws Exception {
    HttpServer target =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_000);
    target.createContext(
        "/",
        call -> {
          byte[] body = call.getRequestBody().readAllBytes();
          call.sendResponseHeaders(arrives(body) || body.length % 2 == 0 ? 200 : 500, -1);
          call.close();
        });
    target.start();
    open.add(() -> target.stop(0));
    database = TestDatabases.postgresql();
    open.add(database::close);
    server =
        RunningServer.start(
            folder,
            """
            routes:
              tracked: {routing-key: hostile-tracked, tracking: full}
              untracked: {routing-key: hostile-untracked, tracking: none}
              called: {routing-key: hostile-called, tracking: none, retries: [200ms]}
              called-tracked: {routing-key: hostile-called-tracked, tracking: full, retries: [200ms]}
            wheel: {max-delay: 9s, resolution: 100ms, hands: [1s, 100ms]}
            loader: {every: 1h, lead: 1h, sweep: 200ms}
            server:
              callbacks:
                called: {url: '%1$s', timeout: 30s}
                called-tracked: {url: '%1$s', timeout: 30s}
            """
                .formatted("http://127.0.0.1:" + target.getAddress().getPort() + "/"),
            database.url(),
            broker.amqpUri(),
            Map.of());
    open.add(server::close);
    connection = broker.connectionFactory().newConnection();
    open.add(connection::abort);
    try (Channel channel = connection.createChannel()) {
      channel.queueDeclare("hostile-tracked", true, false, false, Map.of("x-queue-type", "quorum"));
      channel.queueDeclare("hostile-untracked", true, false, false, Map.of());
    }
    routes = ConfigurationFile.load(folder.resolve("pocketwatch.yml")).routes();
    publisher =
        DelayedPublisher.builder(quiet())
            .routes(routes)
            .build(TrackedPublisher.with(server.store()));
    open.add(publisher);
    DeliveryGuard guard = DeliveryGuard.of(publisher, GuardOptions.defaults());
    open.add(guard);
    for (String route : List.of("tracked", "untracked")) {
      Connection consuming = consuming();
      consumers.add(guard.consume(consuming.createChannel(), "hostile-" + route, this::handle));
    }
  }

  private static ConnectionFactory quiet() {
    ConnectionFactory factory = broker.connectionFactory();
    factory.setMaxInboundMessageBodySize(MAX_BODY);
    factory.setNetworkRecoveryInterval(200);
    factory.setExceptionHandler(
        new DefaultExceptionHandler() {
          @Override
          protected void log(String message, Throwable cause) {
            LOG.debug(message, cause);
          }
        });
    return factory;
  }

  /** As callbacks do: an ordinary connection is closed for each message that no client can read. */
  private Connection consuming() throws Exception {
    Connection consuming = TolerantConnection.open(quiet(), List.of(), "hostile consumer");
    open.add(consuming::abort);
    consuming.addShutdownListener(
        cause -> broken.addAndGet(cause.isInitiatedByApplication() ? 0 : 1));
    return consuming;
  }

  private void handle(GuardedDelivery delivery) {
    if (!arrives(delivery.body()) && delivery.body().length % 4 == 0) {
      throw new IllegalArgumentException("hostile");
    }
  }

  private boolean arrives(byte[] body) {
    String text = new String(body, StandardCharsets.ISO_8859_1);
    return text.startsWith("healthy") && arrived.add(text);
  }

  @AfterEach
  void stop() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  @Tag("ci")
  @Test
  void many_kinds() throws Exception {
    attack(System.nanoTime(), 100, Duration.ofSeconds(15));
  }

  @Tag("wide")
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void two_thousand_kinds(long seed) throws Exception {
    attack(seed, 2_000, Duration.ofMinutes(10));
  }

  private void attack(long seed, int kinds, Duration atMost) throws Exception {
    LOG.info("Seed {}", seed);
    AtomicReference<Exception> trouble = new AtomicReference<>();
    Random delays = new Random(seed);
    send(delays, trouble); // binds each target
    String callbacks = callbackConsumers();
    Topology ours =
        Topology.of(
            routes,
            new BrokerCapabilities(
                publisher.status().brokerVersion(), false, true, 131_072, "guest"));
    HostileMessages messages = new HostileMessages(seed, ground(ours));
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    timer.scheduleWithFixedDelay(() -> send(delays, trouble), 0, 200, TimeUnit.MILLISECONDS);
    Map<String, Integer> counts = new ConcurrentSkipListMap<>();
    long end = System.nanoTime() + atMost.toNanos();
    Queue<HostileMessage> all = new ConcurrentLinkedQueue<>();
    for (int i = 0; i < kinds; i++) {
      all.add(messages.next());
    }
    List<Future<?>> attackers = new ArrayList<>();
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      for (int i = 0; i < ATTACKERS; i++) {
        attackers.add(threads.submit(() -> publish(all, end, counts)));
      }
      for (Future<?> attacker : attackers) {
        attacker.get();
      }
    } finally {
      threads.shutdownNow();
      timer.shutdown();
      timer.awaitTermination(30, TimeUnit.SECONDS);
    }
    assertThat(trouble.get()).isNull();
    List<String> seen = new ArrayList<>(List.of("pocketwatch.unroutable"));
    seen.addAll(
        List.of("pocketwatch.parked.hostile-called", "pocketwatch.parked.hostile-called-tracked"));
    seen.addAll(ours.queues().stream().map(QueueSpec::name).toList());
    try {
      await("all healthy ones").atMost(PATIENCE).until(() -> arrived.containsAll(sent));
      await("empty queues").atMost(PATIENCE).until(this::allHandled);
    } finally {
      LOG.info(
          "Seed {}: {}, connections broken {}, healthy {} of {}, queues {}",
          seed,
          counts,
          broken,
          arrived.size(),
          sent.size(),
          counts(seen));
    }
    assertThat(consumers).allMatch(GuardedConsumer::isConsuming);
    assertThat(broken.get()).isZero();
    assertThat(callbackConsumers()).isEqualTo(callbacks);
    assertThat(server.store().count(MessageQuery.all()))
        .isEqualTo(sent.stream().filter(each -> each.contains("tracked!")).count());
    NamedBroker named =
        NamedBroker.require(BrokerAddresses.parse(broker.amqpUri().toString()), line -> {});
    assertThat(new HoldCheck(named, routes).look().broken()).isEmpty();
  }

  private static Void publish(Queue<HostileMessage> all, long end, Map<String, Integer> counts)
      throws IOException {
    try (RawPublisher raw = new RawPublisher(broker.connectionFactory())) {
      for (HostileMessage message; (message = all.poll()) != null && System.nanoTime() < end; ) {
        boolean taken = raw.publish(message);
        LOG.debug("{} {}", taken ? "taken" : "refused", message);
        counts.merge(taken ? "taken" : "refused", 1, Integer::sum);
        if (taken && (!message.readable() || message.body().length >= MAX_BODY)) {
          counts.merge("breaking", 1, Integer::sum);
        }
      }
    }
    return null;
  }

  /** One to each route. */
  private void send(Random delays, AtomicReference<Exception> trouble) {
    try {
      for (String route : ROUTES) {
        String tracked = route.endsWith("tracked") && !route.equals("untracked") ? "tracked!" : "";
        String body = "healthy " + route + " " + tracked + " " + sent.size();
        DelayedMessage message =
            DelayedMessage.toQueue("hostile-" + route)
                .body(body.getBytes(StandardCharsets.ISO_8859_1))
                .delay(Duration.ofMillis(delays.nextInt(2_500)));
        assertThat(publisher.publish(message).get(30, TimeUnit.SECONDS).confirmed()).isTrue();
        sent.add(body);
      }
    } catch (Exception | AssertionError e) {
      trouble.compareAndSet(null, new IllegalStateException(e));
    }
  }

  private HostileMessages.Ground ground(Topology ours) {
    List<String> keys =
        new ArrayList<>(ours.bindings().stream().map(BindingSpec::routingKey).toList());
    for (Destination.Way way : List.of(Destination.Way.SHARED, Destination.Way.OUT_QUEUE)) {
      Topology more =
          Topology.of(new Names("pocketwatch"), Destination.of("", "hostile-called", way));
      keys.addAll(more.bindings().stream().map(BindingSpec::routingKey).toList());
    }
    return new HostileMessages.Ground(
        ours.exchanges().stream().map(ExchangeSpec::name).toList(), targets(), keys, ROUTES);
  }

  private static List<String> targets() {
    return ROUTES.stream().map(route -> "hostile-" + route).toList();
  }

  private boolean allHandled() throws IOException {
    return counts(targets()).isEmpty();
  }

  /** Of those that have any. */
  private Map<String, Long> counts(List<String> queues) throws IOException {
    Map<String, Long> counts = new TreeMap<>();
    Channel channel = connection.createChannel();
    for (String queue : queues) {
      long count = channel.messageCount(queue);
      if (count > 0) {
        counts.put(queue, count);
      }
    }
    channel.abort();
    return counts;
  }

  /** Their channels' processes in the broker: others are of other connections. */
  private static String callbackConsumers() {
    return broker
        .node()
        .ctl("list_consumers", "-p", broker.virtualHost(), "queue_name", "channel_pid", "--silent")
        .lines()
        .filter(each -> each.startsWith("hostile-called"))
        .sorted()
        .collect(Collectors.joining("\n"));
  }
}
