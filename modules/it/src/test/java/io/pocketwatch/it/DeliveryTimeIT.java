// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static io.pocketwatch.PublishOutcome.CONFIRMED;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.Headers;
import io.pocketwatch.NativeHold;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.HoldOptions.NativeMode;
import io.pocketwatch.config.PublisherOptions;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.internal.topology.QueueSpec;
import io.pocketwatch.internal.topology.Topology;
import io.pocketwatch.localbroker.NetworkProxy;
import io.pocketwatch.testkit.Broker44;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code DELIVERY_TIME} where RabbitMQ holds messages by itself, and where the wheel has to serve.
 * The first kind is aborted, loudly, where the environment names no such broker.
 */
class DeliveryTimeIT {
  private static final String QUEUE_TYPE = "x-queue-type";

  private final String prefix = "dt-" + UUID.randomUUID().toString().substring(0, 8);
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  @AfterEach
  void close() throws Exception {
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }

  @Execution(ExecutionMode.CONCURRENT) // they mostly wait
  @ParameterizedTest
  @MethodSource("io.pocketwatch.it.ContractBrokers#versions")
  void where_its_probe_fails_the_wheel_serves(String version) throws Exception {
    ConnectionFactory factory = SharedNodes.of(version).connectionFactory();
    String target = target(factory);
    DelayedPublisher publisher = publisher(factory, asking());

    assertThat(publisher.status().nativeHold().isMissed()).isTrue();
    assertThat(publisher.status().nativeHold().description()).contains("let go after");
    assertThat(publisher.status().strategies().contains(DelayStrategy.DELIVERY_TIME)).isFalse();
    assertThat(holds(factory, prefix + ".wheel.")).as("declared before the first").isPositive();
    Inbox inbox = inbox(factory, target);
    List<PublishReceipt> receipts = publish(publisher, target, 100, ofMillis(1_500));
    PublishReceipt asked =
        Futures.get(
            publisher.publish(
                DelayedMessage.toQueue(target)
                    .delay(ofMillis(400))
                    .strategy(DelayStrategy.DELIVERY_TIME)));

    assertThat(receipts)
        .allSatisfy(
            receipt -> {
              assertThat(receipt.strategy()).isEqualTo(DelayStrategy.QUEUE_WHEEL);
              assertThat(receipt.reason()).contains("not DELIVERY_TIME");
            });
    assertThat(asked.strategy()).isEqualTo(DelayStrategy.QUEUE_WHEEL);
    receipts = new ArrayList<>(receipts);
    receipts.add(asked);
    requireEachOnceAndNoneEarly(receipts, inbox.await(101, ofSeconds(20)));
  }

  @Execution(ExecutionMode.CONCURRENT) // they mostly wait
  @ParameterizedTest
  @MethodSource("io.pocketwatch.it.ContractBrokers#versions")
  void the_header_of_a_sender_is_an_instant_on_every_version(String version) throws Exception {
    ConnectionFactory factory = SharedNodes.of(version).connectionFactory();
    String target = target(factory);
    DelayedPublisher publisher = publisher(factory, routes());
    Instant due = Instant.now().plusMillis(900);

    PublishReceipt receipt =
        Futures.get(
            publisher.publish(
                DelayedMessage.toQueue(target).header("x-opt-delivery-time", due.toEpochMilli())));

    assertThat(receipt.deliverAt()).isEqualTo(Instant.ofEpochMilli(due.toEpochMilli()));
    Inbox.Arrival arrival = inbox(factory, target).awaitOne();
    assertThat(arrival.lateness()).isBetween(Duration.ZERO, ofSeconds(5));
    assertThat(arrival.properties().getHeaders()).doesNotContainKey("x-opt-delivery-time");
  }

  @Execution(ExecutionMode.CONCURRENT) // they mostly wait
  @ParameterizedTest
  @MethodSource("io.pocketwatch.it.ContractBrokers#versions")
  void who_never_delays_declares_no_hold_queue(String version) throws Exception {
    ConnectionFactory factory = SharedNodes.of(version).connectionFactory();
    String target = target(factory);
    DelayedPublisher publisher = publisher(factory, routes());
    assertThat(Futures.get(publisher.publish(DelayedMessage.toQueue(target))).outcome())
        .isEqualTo(CONFIRMED);
    assertThat(holds(factory, prefix + ".")).isZero();

    List<PublishReceipt> receipts = publish(publisher, target, 20, ofMillis(600));

    assertThat(receipts)
        .extracting(PublishReceipt::strategy)
        .containsOnly(DelayStrategy.QUEUE_WHEEL);
    assertThat(holds(factory, prefix + ".")).isEqualTo(36);
    inbox(factory, target).await(21, ofSeconds(20));
  }

  @Test
  void four_hold_queues_one_hop_any_delay() throws Exception {
    ConnectionFactory factory = Broker44.required();
    String classic = target(factory);
    String quorum = target(factory, "quorum");
    DelayedPublisher publisher = publisher(factory, asking());
    NativeHold hold = publisher.status().nativeHold();
    assertThat(hold.isUsable()).as(hold.description()).isTrue();
    assertThat(hold.ahead().abs()).isLessThan(NativeHold.CLOCK_LIMIT);

    for (String target : List.of(classic, quorum)) {
      Inbox inbox = inbox(factory, target);
      List<PublishReceipt> receipts = publish(publisher, target, 200, ofSeconds(3));

      assertThat(receipts)
          .extracting(PublishReceipt::strategy)
          .containsOnly(DelayStrategy.DELIVERY_TIME);
      List<Inbox.Arrival> arrivals = inbox.await(200, ofSeconds(20));
      requireEachOnceAndNoneEarly(receipts, arrivals);
      Set<String> queues = new HashSet<>();
      for (Inbox.Arrival arrival : arrivals) {
        List<?> deaths = (List<?>) arrival.properties().getHeaders().get("x-death");
        assertThat(deaths).hasSize(1);
        queues.add(String.valueOf(((Map<?, ?>) deaths.get(0)).get("queue")));
      }
      assertThat(queues)
          .containsExactlyInAnyOrderElementsOf(
              IntStream.range(0, 4).mapToObj(i -> prefix + ".native." + i).toList());
    }
    assertThat(holds(factory, prefix + ".")).as("no wheel").isEqualTo(4);
  }

  @Test
  void with_native_auto_it_takes_the_wheels_place() throws Exception {
    ConnectionFactory factory = Broker44.required();
    String target = target(factory);
    DelayRoutes auto =
        routes().toBuilder()
            .hold(routes().hold().toBuilder().nativeMode(NativeMode.AUTO).build())
            .build();
    DelayedPublisher publisher = publisher(factory, auto);
    Inbox inbox = inbox(factory, target);

    List<PublishReceipt> receipts = publish(publisher, target, 10, ofMillis(800));

    assertThat(receipts)
        .extracting(PublishReceipt::strategy)
        .containsOnly(DelayStrategy.DELIVERY_TIME);
    requireEachOnceAndNoneEarly(receipts, inbox.await(10, ofSeconds(10)));
    PublishReceipt asked =
        Futures.get(
            publisher.publish(
                DelayedMessage.toQueue(target)
                    .delay(ofMillis(300))
                    .strategy(DelayStrategy.QUEUE_WHEEL)));
    assertThat(asked.strategy()).as("%s", asked).isEqualTo(DelayStrategy.QUEUE_WHEEL);
    inbox.await(11, ofSeconds(10));
  }

  /** An application that was on the wheel until its broker was upgraded. */
  @Test
  void what_the_wheel_holds_arrives_too() throws Exception {
    ConnectionFactory factory = Broker44.required();
    String target = target(factory);
    Inbox inbox = inbox(factory, target);
    List<PublishReceipt> receipts = new ArrayList<>();
    try (DelayedPublisher before = publisher(factory, routes())) {
      receipts.addAll(publish(before, target, 100, ofSeconds(4)));
    }
    DelayedPublisher after = publisher(factory, asking());
    receipts.addAll(publish(after, target, 100, ofSeconds(4)));

    assertThat(receipts)
        .extracting(PublishReceipt::strategy)
        .contains(DelayStrategy.QUEUE_WHEEL, DelayStrategy.DELIVERY_TIME);
    requireEachOnceAndNoneEarly(receipts, inbox.await(200, ofSeconds(20)));
  }

  /** Ahead it looks as an older broker does, behind it answers late or not at all. */
  @ParameterizedTest
  @ValueSource(longs = {3_600_000, 2_000, 1_200, -400, -2_000, -3_600_000})
  void with_another_clock_than_the_brokers_the_wheel_serves(long aheadMillis) throws Exception {
    ConnectionFactory factory = Broker44.required();
    String target = target(factory);
    InstantSource clock = () -> Instant.now().plusMillis(aheadMillis);
    DelayedPublisher publisher =
        keep(DelayedPublisher.builder(factory).routes(asking()).clock(clock).build());

    assertThat(publisher.status().nativeHold().isMissed())
        .as(publisher.status().nativeHold().description())
        .isTrue();
    Inbox inbox = inbox(factory, target);
    Instant before = Instant.now();
    PublishReceipt receipt =
        Futures.get(publisher.publish(DelayedMessage.toQueue(target).delay(ofSeconds(1))));
    assertThat(receipt.strategy()).isEqualTo(DelayStrategy.QUEUE_WHEEL);
    assertThat(Duration.between(before, inbox.awaitOne().at()))
        .isBetween(ofMillis(995), ofSeconds(9));
  }

  @Test
  void a_small_difference_of_the_clocks_is_measured() throws Exception {
    ConnectionFactory factory = Broker44.required();
    InstantSource clock = () -> Instant.now().plusMillis(600);
    DelayedPublisher publisher =
        keep(DelayedPublisher.builder(factory).routes(asking()).clock(clock).build());

    NativeHold hold = publisher.status().nativeHold();
    assertThat(hold.isUsable()).as(hold.description()).isTrue();
    assertThat(hold.ahead()).isBetween(ofMillis(-900), ofMillis(-590));
  }

  /** The broker's clock is behind from then on: all is late by that, until the next probe. */
  @Test
  void a_clock_that_steps_meanwhile_is_seen_by_the_next_connection() throws Exception {
    ConnectionFactory factory = Broker44.required();
    String target = target(factory);
    Duration step = ofSeconds(4);
    AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);
    try (NetworkProxy proxy = NetworkProxy.to(factory.getHost(), factory.getPort())) {
      DelayedPublisher publisher =
          keep(
              DelayedPublisher.builder(factory)
                  .addressResolver(() -> List.of(new Address(proxy.host(), proxy.port())))
                  .routes(asking())
                  .clock(() -> Instant.now().plus(ahead.get()))
                  .build());
      Inbox inbox = inbox(factory, target);
      ahead.set(step);

      assertThat(took(publisher, target, inbox, DelayStrategy.DELIVERY_TIME))
          .isBetween(step.plus(ofMillis(995)), step.plusSeconds(3));
      proxy.reset();
      Awaitility.await()
          .atMost(ofSeconds(30))
          .until(
              () -> publisher.status().connected() && publisher.status().nativeHold().isMissed());
      assertThat(took(publisher, target, inbox, DelayStrategy.QUEUE_WHEEL))
          .isBetween(ofMillis(995), ofSeconds(3));

      ahead.set(Duration.ZERO);
      proxy.reset();
      Awaitility.await()
          .atMost(ofSeconds(30))
          .until(
              () -> publisher.status().connected() && publisher.status().nativeHold().isUsable());
      assertThat(took(publisher, target, inbox, DelayStrategy.DELIVERY_TIME))
          .isBetween(ofMillis(995), ofSeconds(3));
    }
  }

  /** How long a message takes that is to take a second. */
  private static Duration took(
      DelayedPublisher publisher, String target, Inbox inbox, DelayStrategy expected)
      throws Exception {
    int before = inbox.arrivals().size();
    Instant sent = Instant.now();
    PublishReceipt receipt =
        Futures.get(publisher.publish(DelayedMessage.toQueue(target).delay(ofSeconds(1))));
    assertThat(receipt.strategy()).as("%s", receipt).isEqualTo(expected);
    List<Inbox.Arrival> all = inbox.await(before + 1, ofSeconds(20));
    return Duration.between(sent, all.get(before).at());
  }

  /** Of two brokers that know nothing of each other, the second holds nothing by itself. */
  @Test
  void a_connection_that_moves_to_a_node_where_it_does_not_work_is_probed_anew() throws Exception {
    ConnectionFactory later = Broker44.required();
    ConnectionFactory earlier = SharedNodes.of(SharedNodes.NEWEST).connectionFactory();
    String target = target(later);
    String same = target(earlier, "classic", target);
    Inbox there = inbox(later, target);
    Inbox here = inbox(earlier, same);
    try (NetworkProxy proxy = NetworkProxy.to(later.getHost(), later.getPort());
        NetworkProxy other = NetworkProxy.to(earlier.getHost(), earlier.getPort())) {
      AtomicReference<Address> address =
          new AtomicReference<>(new Address(proxy.host(), proxy.port()));
      DelayedPublisher publisher =
          keep(
              DelayedPublisher.builder(later)
                  .addressResolver(() -> List.of(address.get()))
                  .routes(asking())
                  .build());
      List<PublishReceipt> receipts = new ArrayList<>(publish(publisher, target, 50, ofSeconds(2)));
      assertThat(receipts)
          .extracting(PublishReceipt::strategy)
          .containsOnly(DelayStrategy.DELIVERY_TIME);

      List<CompletableFuture<PublishReceipt>> load = new ArrayList<>();
      for (int round = 0; round < 2; round++) {
        boolean back = round == 1;
        address.set(
            back
                ? new Address(proxy.host(), proxy.port())
                : new Address(other.host(), other.port()));
        (back ? other : proxy).reset();
        Awaitility.await()
            .pollInterval(ofMillis(5))
            .atMost(ofSeconds(30))
            .until(
                () -> {
                  load.add(
                      publisher.publish(
                          DelayedMessage.toQueue(target).delay(ofMillis(200 + load.size() % 700))));
                  return publisher.status().nativeHold().isUsable() == back
                      && publisher.status().connected();
                });
        receipts.addAll(publish(publisher, target, 50, ofSeconds(2)));
      }

      Futures.getAll(load).stream().filter(PublishReceipt::confirmed).forEach(receipts::add);
      Set<DelayStrategy> used = new HashSet<>();
      receipts.forEach(receipt -> used.add(receipt.strategy()));
      assertThat(used)
          .containsExactlyInAnyOrder(DelayStrategy.DELIVERY_TIME, DelayStrategy.QUEUE_WHEEL);
      Awaitility.await("all of %s".formatted(receipts.size()))
          .atMost(ofSeconds(20))
          .until(() -> arrived(there, here).keySet().containsAll(ids(receipts)));
      List<Inbox.Arrival> all = new ArrayList<>(there.arrivals());
      all.addAll(here.arrivals());
      assertThat(all).allSatisfy(arrival -> assertThat(arrival.lateness()).isPositive());
    }
  }

  private static Map<String, Inbox.Arrival> arrived(Inbox... inboxes) {
    Map<String, Inbox.Arrival> all = new HashMap<>();
    for (Inbox inbox : inboxes) {
      inbox.arrivals().forEach(arrival -> all.put(arrival.id(), arrival));
    }
    return all;
  }

  /** The wheel lets go early under such a policy: what is held by its time does not. */
  @Test
  void a_policy_with_a_short_ttl_makes_nothing_early() throws Exception {
    ConnectionFactory factory = Broker44.required();
    String target = target(factory);
    DelayedPublisher publisher = publisher(factory, asking());
    Broker44.control(
        "ctl",
        "set_policy",
        "--apply-to",
        "queues",
        prefix,
        "^" + prefix + "\\.native",
        "{\"message-ttl\":100}");
    try {
      Inbox inbox = inbox(factory, target);
      List<PublishReceipt> receipts = publish(publisher, target, 50, ofSeconds(3));

      requireEachOnceAndNoneEarly(receipts, inbox.await(50, ofSeconds(20)));
    } finally {
      Broker44.control("ctl", "clear_policy", prefix);
    }
  }

  @Test
  void a_full_hold_queue_refuses_and_says_so_and_then_the_wheel_serves() throws Exception {
    ConnectionFactory factory = Broker44.required();
    String target = target(factory);
    DelayedPublisher publisher = publisher(factory, asking());
    Broker44.control(
        "ctl",
        "set_policy",
        "--apply-to",
        "queues",
        prefix,
        "^" + prefix + "\\.native",
        "{\"max-length\":5}");
    try {
      List<PublishReceipt> receipts = new ArrayList<>();
      for (int round = 0; round < 4; round++) { // the broker notices after a while that it is full
        receipts.addAll(
            Futures.all(
                100, i -> publisher.publish(DelayedMessage.toQueue(target).delay(ofSeconds(5)))));
      }

      assertThat(receipts).anyMatch(receipt -> !receipt.confirmed());
      List<PublishReceipt> held =
          new ArrayList<>(receipts.stream().filter(PublishReceipt::confirmed).toList());
      assertThat(held).isNotEmpty();
      Awaitility.await("probed at once, not by the next connection")
          .pollInterval(ofMillis(200))
          .atMost(ofSeconds(30))
          .until(
              () -> {
                List<PublishReceipt> more =
                    Futures.all(
                        20,
                        i -> publisher.publish(DelayedMessage.toQueue(target).delay(ofSeconds(5))));
                more.stream().filter(PublishReceipt::confirmed).forEach(held::add);
                return publisher.status().nativeHold().isMissed();
              });
      held.addAll(publish(publisher, target, 100, ofSeconds(3)));
      assertThat(held).last().matches(last -> last.strategy() == DelayStrategy.QUEUE_WHEEL);
      requireEachOnceAndNoneEarly(held, inbox(factory, target).await(held.size(), ofSeconds(20)));
    } finally {
      Broker44.control("ctl", "clear_policy", prefix);
    }
  }

  /** Killed amid the releases: none lost, none early; copies may come twice. */
  @Test
  void a_kill_with_messages_held_loses_none() throws Exception {
    ConnectionFactory factory = Broker44.required();
    String target = target(factory, "quorum");
    NetworkProxy proxy = keep(NetworkProxy.to(factory.getHost(), factory.getPort()));
    DelayedPublisher publisher =
        keep(
            DelayedPublisher.builder(factory)
                .addressResolver(() -> List.of(new Address(proxy.host(), proxy.port())))
                .routes(asking())
                .build());
    List<PublishReceipt> receipts = publish(publisher, target, 3_000, ofSeconds(12));
    assertThat(receipts)
        .extracting(PublishReceipt::strategy)
        .containsOnly(DelayStrategy.DELIVERY_TIME);
    // Some seconds' worth: a quorum queue that is younger may not survive the kill.
    Awaitility.await("the first releases")
        .atMost(ofSeconds(20))
        .until(() -> count(factory, target) > 1_000);

    Broker44.control("kill");
    Broker44.control("start");

    Awaitility.await().atMost(ofSeconds(60)).until(() -> publisher.status().connected());
    Inbox inbox = inbox(factory, target);
    Awaitility.await("all of them")
        .atMost(ofSeconds(400)) // after a crash its dead-letter worker waits for three minutes
        .until(() -> new HashSet<>(inbox.ids()).containsAll(ids(receipts)));
    assertThat(inbox.arrivals()).allSatisfy(arrival -> assertThat(arrival.lateness()).isPositive());
    // The broker may have been too slow for the probe of the first connection after the kill.
    Awaitility.await("probed anew by another connection")
        .pollInterval(ofSeconds(5))
        .atMost(ofSeconds(180))
        .until(
            () -> {
              boolean usable = publisher.status().nativeHold().isUsable();
              if (!usable) {
                proxy.reset();
              }
              return usable;
            });
  }

  private static long count(ConnectionFactory factory, String queue) throws Exception {
    try (Connection connection = factory.newConnection("count");
        Channel channel = connection.createChannel()) {
      return channel.messageCount(queue);
    }
  }

  private static List<String> ids(List<PublishReceipt> receipts) {
    return receipts.stream().map(PublishReceipt::id).toList();
  }

  private static void requireEachOnceAndNoneEarly(
      List<PublishReceipt> receipts, List<Inbox.Arrival> arrivals) {
    assertThat(arrivals)
        .extracting(Inbox.Arrival::id)
        .containsExactlyInAnyOrderElementsOf(ids(receipts));
    assertThat(arrivals)
        .allSatisfy(
            arrival -> {
              assertThat(arrival.lateness()).isPositive();
              assertThat(Headers.deliverAt(arrival.properties().getHeaders())).isNotNull();
            });
  }

  /** Over delays from a few milliseconds to the longest; confirmed. */
  private static List<PublishReceipt> publish(
      DelayedPublisher publisher, String queue, int count, Duration longest) {
    List<PublishReceipt> receipts =
        Futures.all(
            count,
            i ->
                publisher.publish(
                    DelayedMessage.toQueue(queue)
                        .delay(ofMillis(50 + longest.toMillis() * (i * 37L % count) / count))));
    assertThat(Futures.outcomes(receipts)).containsOnly(CONFIRMED);
    return receipts;
  }

  private DelayRoutes routes() {
    return DelayRoutes.builder()
        .hold(HoldOptions.builder().namePrefix(prefix).wheel(World.SMALL_WHEEL).build())
        .publisher(PublisherOptions.builder().confirmTimeout(ofSeconds(4)).build())
        .build();
  }

  private DelayRoutes asking() {
    return routes().toBuilder()
        .defaults(DelayRoute.defaults().toBuilder().strategy(DelayStrategy.DELIVERY_TIME).build())
        .build();
  }

  private DelayedPublisher publisher(ConnectionFactory factory, DelayRoutes routes) {
    return keep(DelayedPublisher.builder(factory).routes(routes).build());
  }

  private Inbox inbox(ConnectionFactory factory, String queue) {
    return keep(new Inbox(factory.clone(), queue));
  }

  private <T extends AutoCloseable> T keep(T closeable) {
    open.push(closeable);
    return closeable;
  }

  private String target(ConnectionFactory factory) throws Exception {
    return target(factory, "classic");
  }

  private String target(ConnectionFactory factory, String type) throws Exception {
    return target(factory, type, "target-" + UUID.randomUUID());
  }

  /** A queue that goes with the test, as do our own. */
  private String target(ConnectionFactory factory, String type, String name) throws Exception {
    try (Connection connection = factory.newConnection("target")) {
      connection.createChannel().queueDeclare(name, true, false, false, Map.of(QUEUE_TYPE, type));
    }
    open.push(
        () -> {
          try (Connection connection = factory.newConnection("clean")) {
            delete(connection, name);
            for (QueueSpec queue :
                Topology.of(asking(), BrokerCapabilities.unknown("guest")).queues()) {
              delete(connection, queue.name());
            }
          }
        });
    return name;
  }

  private static void delete(Connection connection, String queue) throws IOException {
    Channel channel = connection.createChannel();
    channel.queueDelete(queue);
    channel.abort();
  }

  /** How many of our hold queues are there whose names begin so. */
  private long holds(ConnectionFactory factory, String beginning) throws Exception {
    try (Connection connection = factory.newConnection("look")) {
      return Topology.of(asking(), BrokerCapabilities.unknown("guest")).queues().stream()
          .filter(queue -> queue.arguments().containsKey("x-dead-letter-exchange"))
          .filter(queue -> !queue.name().endsWith(".sink")) // which passes on to nobody
          .filter(queue -> queue.name().startsWith(beginning))
          .filter(queue -> exists(connection, queue.name()))
          .count();
    }
  }

  private static boolean exists(Connection connection, String queue) {
    try {
      Channel channel = connection.createChannel();
      channel.queueDeclarePassive(queue);
      channel.abort();
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
