// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.PublisherOptions;
import io.pocketwatch.config.WheelOptions;
import io.pocketwatch.localbroker.BrokerNode;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Publishes from several threads while the node is killed and restarted, over TTL queues and the
 * wheel, to a classic and a quorum queue, and accounts for every id.
 *
 * <p>Run by hand: {@code RestartLedger <minutes> [version]}; three kills, 271 wheel queues, prints
 * one line of JSON and ends with 0 only if every outcome's promise was kept.
 */
final class RestartLedger {
  private static final List<Duration> CONFIGURED =
      List.of(Duration.ofSeconds(2), Duration.ofSeconds(5), Duration.ofSeconds(10));
  private static final int LONGEST_DELAY_MS = 20_000;
  private static final int THREADS = 4;
  private static final Duration CONFIRM_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final BrokerNode node;
  private final WheelOptions wheel;
  private final int perSecond;
  private final Ledger ledger = new Ledger();
  private final AtomicLong number = new AtomicLong();

  RestartLedger(BrokerNode node, WheelOptions wheel, int perSecond) {
    this.node = node;
    this.wheel = wheel;
    this.perSecond = perSecond;
  }

  /** Takes this long, and then up to as long as everything needs to arrive. */
  LedgerReport run(Duration publishing, int kills) throws Exception {
    List<String> queues = declareQueues();
    ScheduledExecutorService callers = Executors.newScheduledThreadPool(THREADS);
    try (DelayedPublisher publisher =
            DelayedPublisher.builder(node.connectionFactory()).routes(routes()).build();
        SteadyConsumer consumer =
            new SteadyConsumer(node.connectionFactory(), queues, ledger::arrived)) {
      Instant begin = Instant.now();
      long period = TimeUnit.SECONDS.toMicros(THREADS) / perSecond;
      for (int i = 0; i < THREADS; i++) {
        callers.scheduleAtFixedRate(
            () -> publishOne(publisher, queues), 0, period, TimeUnit.MICROSECONDS);
      }
      for (int kill = 1; kill <= kills; kill++) {
        awaitInstant(begin.plus(publishing.multipliedBy(kill).dividedBy(kills + 1L)));
        node.kill();
        node.start();
      }
      awaitInstant(begin.plus(publishing));
      callers.shutdown();
      callers.awaitTermination(CONFIRM_TIMEOUT.toSeconds() + 5, TimeUnit.SECONDS);
      awaitZero(() -> ledger.hanging(), CONFIRM_TIMEOUT.plusSeconds(2));
      awaitZero(() -> ledger.outstanding(), Duration.ofMillis(LONGEST_DELAY_MS).plus(PATIENCE));
    } finally {
      callers.shutdownNow();
    }
    return LedgerReport.of(ledger, node.version(), publishing.toSeconds(), kills);
  }

  private void publishOne(DelayedPublisher publisher, List<String> queues) {
    long count = number.incrementAndGet();
    String id = "ledger-" + count;
    String queue = queues.get((int) (count / 2 % queues.size()));
    ThreadLocalRandom random = ThreadLocalRandom.current();
    Duration delay =
        count % 2 == 0
            ? CONFIGURED.get(random.nextInt(CONFIGURED.size()))
            : Duration.ofMillis(1_000 + random.nextInt(LONGEST_DELAY_MS - 1_000));
    ledger.scheduled(id);
    publisher
        .publish(DelayedMessage.toQueue(queue).id(id).body(id).delay(delay))
        .whenComplete((receipt, error) -> ledger.ended(id, receipt));
  }

  private DelayRoutes routes() {
    return DelayRoutes.builder()
        .defaults(
            DelayRoute.defaults().toBuilder().delays(CONFIGURED.toArray(Duration[]::new)).build())
        .hold(HoldOptions.builder().namePrefix("ledger").wheel(wheel).build())
        .publisher(PublisherOptions.builder().confirmTimeout(CONFIRM_TIMEOUT).build())
        .build();
  }

  private List<String> declareQueues() throws IOException, TimeoutException {
    ConnectionFactory factory = node.connectionFactory();
    List<String> types = List.of("classic", "quorum");
    try (Connection connection = factory.newConnection();
        Channel channel = connection.createChannel()) {
      for (String type : types) {
        Map<String, Object> arguments = Map.of("x-queue-type", type);
        channel.queueDeclare("ledger-target." + type, true, false, false, arguments);
      }
    }
    return types.stream().map(type -> "ledger-target." + type).toList();
  }

  private static void awaitInstant(Instant instant) {
    Awaitility.await()
        .atMost(Duration.ofHours(3))
        .pollInterval(Duration.ofMillis(50))
        .until(() -> !Instant.now().isBefore(instant));
  }

  /** Goes on when the patience is over: the report then says how many are left. */
  private static void awaitZero(LongSupplier left, Duration patience) {
    try {
      Awaitility.await()
          .atMost(patience)
          .pollInterval(Duration.ofMillis(250))
          .until(() -> left.getAsLong() == 0);
    } catch (ConditionTimeoutException e) {
      System.err.println(left.getAsLong() + " left after " + patience);
    }
  }

  public static void main(String[] args) throws Exception {
    if (args.length < 1 || args.length > 2) {
      System.err.println("usage: RestartLedger <minutes> [broker version, 4.3 unless given]");
      System.exit(2);
    }
    Duration publishing = Duration.ofMinutes(Long.parseLong(args[0]));
    LedgerReport report;
    try (BrokerNode node = SharedNodes.own(args.length == 2 ? args[1] : SharedNodes.NEWEST)) {
      report = new RestartLedger(node, WheelOptions.defaults(), 400).run(publishing, 3);
    }
    System.out.println(report.toJson());
    System.exit(report.kept() ? 0 : 1);
  }
}
