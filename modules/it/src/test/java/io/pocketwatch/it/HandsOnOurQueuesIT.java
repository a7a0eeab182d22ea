// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static io.pocketwatch.PublishOutcome.CONFIRMED;
import static io.pocketwatch.PublishOutcome.RETURNED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.Headers;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Isolation;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.HoldQueues;
import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.config.TemporaryQueueOptions;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.internal.topology.ExchangeSpec;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.internal.topology.QueueSpec;
import io.pocketwatch.internal.topology.TemporaryQueue;
import io.pocketwatch.internal.topology.Topology;
import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.server.deadletter.DeadLetterQueue;
import io.pocketwatch.server.deadletter.DeadLetters;
import io.pocketwatch.server.deadletter.HoldCheck;
import io.pocketwatch.server.deadletter.HoldCheck.Found;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What an operator's hands may do to our queues: nothing comes early, nobody else is held up, and
 * what is stranded is found, named, and can be sent on. The table is in troubleshoot.md.
 */
class HandsOnOurQueuesIT {
  private static final Duration ON_TIME = Duration.ofSeconds(1);

  private static final Duration SHORT = Duration.ofMillis(5_500);
  private static final Duration LONG = Duration.ofMillis(9_500);

  /** More than the broker passes on at a time: {@code dead_letter_worker_consumer_prefetch}. */
  private static final int MORE_THAN_IT_TRIES_AT_A_TIME = 520;

  /** RabbitMQ 4 gives a quorum queue's message up after 20 by itself: it counts some of these. */
  private static final int LOOKS = 25;

  /** What holds a message, and how long the test has before it is due. */
  private enum Kind {
    HOLD_QUORUM(DelayStrategy.QUEUE_WHEEL, HoldQueueType.QUORUM),
    HOLD_CLASSIC(DelayStrategy.QUEUE_WHEEL, HoldQueueType.CLASSIC),
    TTL_QUORUM(DelayStrategy.TTL_QUEUE, HoldQueueType.QUORUM),
    TTL_CLASSIC(DelayStrategy.TTL_QUEUE, HoldQueueType.CLASSIC),
    TEMPORARY_QUORUM(DelayStrategy.TEMPORARY_QUEUE, HoldQueueType.QUORUM),
    TEMPORARY_CLASSIC(DelayStrategy.TEMPORARY_QUEUE, HoldQueueType.CLASSIC);

    private final DelayStrategy strategy;
    private final HoldQueueType type;

    Kind(DelayStrategy strategy, HoldQueueType type) {
      this.strategy = strategy;
      this.type = type;
    }
  }

  private World world;
  private DelayRoutes routes;
  private DelayedPublisher publisher;
  private String target;
  private Inbox inbox;

  @AfterEach
  void close() throws Exception {
    if (world != null) {
      world.close();
    }
  }

  @Tag("ci")
  @Test
  void looking_changes_nothing() throws Exception {
    looking(SharedNodes.NEWEST, Kind.HOLD_QUORUM);
  }

  @Tag("wide")
  @ParameterizedTest
  @EnumSource
  void so_it_is_with_every_kind(Kind kind) throws Exception {
    looking(SharedNodes.NEWEST, kind);
  }

  @Tag("wide")
  @ParameterizedTest
  @EnumSource
  void so_it_is_on_the_oldest_broker(Kind kind) throws Exception {
    looking(SharedNodes.OLDEST, kind);
  }

  private void looking(String version, Kind kind) throws Exception {
    open(SharedNodes.of(version), kind);
    PublishReceipt receipt = publish(kind, LONG);
    String queue = queueOf(kind, receipt);

    lookInto(queue);

    Inbox.Arrival arrival = inbox.awaitOne();
    assertThat(arrival.id()).isEqualTo(receipt.id());
    assertThat(arrival.lateness()).isBetween(Duration.ZERO, ON_TIME);
    assertThat(inbox.arrivals()).hasSize(1);
  }

  /** In each of the ways to put back what was seen. */
  private void lookInto(String queue) throws Exception {
    try (Connection connection = world.node().connectionFactory().newConnection("look")) {
      for (int look = 0; look < 3 * LOOKS; look++) {
        Channel channel = connection.createChannel();
        GetResponse seen =
            await("look " + look + " into " + queue)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> channel.basicGet(queue, false), Objects::nonNull);
        long tag = seen.getEnvelope().getDeliveryTag();
        switch (look % 3) {
          case 0 -> channel.basicNack(tag, false, true);
          case 1 -> channel.basicReject(tag, true);
          default -> {} // as somebody whose connection ends
        }
        channel.close();
      }
    }
  }

  @Tag("wide")
  @ParameterizedTest
  @CsvSource({"unroutable", "parked"})
  void looking_into_what_is_kept_loses_nothing(String part) throws Exception {
    open(SharedNodes.of(SharedNodes.NEWEST), Kind.HOLD_QUORUM);
    String queue = world.ours("unroutable");
    if (part.equals("parked")) {
      queue = new Names(world.prefix()).parked(target);
      world.queue(queue, List.of(unroutable().arguments()).get(0));
    }
    world.channel().basicPublish("", queue, new BasicProperties(), new byte[0]);
    String kept = queue;
    await().until(() -> world.count(kept) == 1);
    lookInto(queue);
    await().until(() -> world.count(kept) == 1);
  }

  /** As a shovel to a queue does, and the management page's "Move messages", there and back. */
  @Tag("ci")
  @Test
  void what_was_moved_out_and_back_is_found_and_holds_nobody_up() throws Exception {
    movedOutAndBack(SharedNodes.NEWEST, Kind.HOLD_QUORUM);
  }

  @Tag("wide")
  @ParameterizedTest
  @CsvSource({
    "4.3, HOLD_CLASSIC",
    "4.3, TTL_QUORUM",
    "4.3, TTL_CLASSIC",
    "3.10, HOLD_QUORUM",
    "3.10, HOLD_CLASSIC"
  })
  void so_it_is_in_others(String version, Kind kind) throws Exception {
    movedOutAndBack(version, kind);
  }

  private void movedOutAndBack(String version, Kind kind) throws Exception {
    open(SharedNodes.of(version), kind);
    String backup = world.queue("hands.backup");
    List<PublishReceipt> moved =
        Futures.all(MORE_THAN_IT_TRIES_AT_A_TIME, i -> publisher.publish(message(kind, LONG)));
    assertThat(Futures.outcomes(moved)).containsOnly(CONFIRMED);
    String queue = queueOf(kind, moved.get(0));
    for (String each : holding()) {
      moveAll(each, "", backup);
    }
    assertThat(world.count(backup)).isEqualTo(moved.size());
    moveAll(backup, "", queue);

    await()
        .atMost(LONG.plusSeconds(15))
        .until(() -> world.count(unroutable().name()) == moved.size());
    assertThat(inbox.arrivals()).isEmpty();
    assertNeighbourOnTime(kind);

    DeadLetters.Result result = sendAgain();
    assertThat(result.sent()).as("nothing into our own queues").isZero();
    assertThat(result.left())
        .containsOnlyKeys(
            "moved by hand, and queue '%s' stands in place of its routing key; its exchange was '%s'"
                .formatted(queue, target));
    assertThat(world.count(queue)).isZero();
    await().until(() -> world.count(unroutable().name()) == moved.size());
  }

  /** Over exchanges the key stays, and it can be sent on. */
  @Tag("wide")
  @ParameterizedTest
  @EnumSource(names = {"HOLD_QUORUM", "HOLD_CLASSIC", "TTL_QUORUM"})
  void what_was_moved_over_exchanges_is_sent_on_and_not_early(Kind kind) throws Exception {
    open(SharedNodes.of(SharedNodes.NEWEST), kind);
    String elsewhere = world.exchange("hands.elsewhere", BuiltinExchangeType.FANOUT);
    String backup = world.queue("hands.backup");
    world.channel().queueBind(backup, elsewhere, "");
    PublishReceipt receipt = publish(kind, SHORT);
    moveAll(queueOf(kind, receipt), elsewhere, null);
    moveAll(backup, unroutable().name(), null);

    DeadLetters.Result early = sendAgain();
    assertThat(early.sent()).isZero();
    assertThat(early.left()).containsOnlyKeys("not due yet: send again later");
    assertThat(inbox.arrivals()).isEmpty();

    await().until(() -> !Instant.now().isBefore(receipt.deliverAt()));
    assertThat(sendAgain().sent()).isEqualTo(1);
    Inbox.Arrival arrival = inbox.awaitOne();
    assertThat(arrival.id()).isEqualTo(receipt.id());
    assertThat(arrival.lateness()).isGreaterThanOrEqualTo(Duration.ZERO);
  }

  /** What it held is lost by that hand. What comes by there later is not, and nobody waits. */
  @Tag("wide")
  @ParameterizedTest
  @EnumSource(names = {"HOLD_QUORUM", "HOLD_CLASSIC"})
  void a_deleted_hold_queue_is_told_and_what_was_to_pass_it_is_sent_on(Kind kind) throws Exception {
    open(SharedNodes.of(SharedNodes.NEWEST), kind);
    Duration delay = Duration.ofMillis(2_500);
    PublishReceipt wide = publish(kind, delay); // one hand, then the next
    String next = world.ours("wheel." + kind.type.argument() + ".100ms.");
    for (QueueSpec each : topology().queues()) {
      if (each.name().startsWith(next)) {
        world.channel().queueDelete(each.name());
      }
    }

    assertThat(Futures.get(publisher.publish(message(kind, Duration.ofMillis(700)))).outcome())
        .as("and not confirmed")
        .isEqualTo(RETURNED);
    await().atMost(Duration.ofSeconds(15)).until(() -> world.count(unroutable().name()) == 1);
    assertThat(Instant.now()).as("before it is due").isBefore(wide.deliverAt());
    assertThat(sendAgain().sent()).isZero();
    if (kind == Kind.HOLD_QUORUM) {
      assertThat(look().words(look().broken()))
          .anyMatch(words -> words.startsWith(next) && words.endsWith("is not there or not bound"));
    }
    await().until(() -> !Instant.now().isBefore(wide.deliverAt()));
    assertThat(sendAgain().sent()).isEqualTo(1);
    assertThat(inbox.awaitOne().id()).isEqualTo(wide.id());
    world.publisher(routes).close();
    publish(kind, Duration.ofMillis(700));
    assertThat(inbox.await(2, Duration.ofSeconds(10)).get(1).lateness())
        .isBetween(Duration.ZERO, ON_TIME);
  }

  @Tag("wide")
  @ParameterizedTest
  @CsvSource({"release", "deliver", "queues", "unroutable", "stranded", "returned"})
  void a_deleted_exchange_is_named(String part) throws Exception {
    open(SharedNodes.of(SharedNodes.NEWEST), Kind.HOLD_QUORUM);
    world.channel().exchangeDelete(world.ours(part));
    Found found = look();
    assertThat(found.words(found.broken()))
        .containsExactly("exchange " + world.ours(part) + " is not there");
    world.publisher(routes).close();
    assertThat(look().words(look().broken())).isEmpty();
  }

  @Tag("wide")
  @ParameterizedTest
  @CsvSource({"sink", "unroutable"})
  void a_deleted_queue_of_the_way_is_named_and_nobody_waits(String part) throws Exception {
    open(SharedNodes.of(SharedNodes.NEWEST), Kind.HOLD_QUORUM);
    world.channel().queuePurge(world.ours(part));
    world.channel().queueDelete(world.ours(part));
    assertNeighbourOnTime(Kind.HOLD_QUORUM);
    Found found = look();
    assertThat(found.words(found.broken())).containsExactly(world.ours(part) + " is not there");
    world.publisher(routes).close();
    assertThat(look().words(look().broken())).isEmpty();
  }

  /**
   * An error handler may note the exchange that it saw, and somebody sends a message there again.
   */
  @ParameterizedTest
  @CsvSource({"HOLD_QUORUM", "TTL_CLASSIC", "TEMPORARY_QUORUM"})
  void what_is_sent_again_to_an_exchange_of_ours_is_kept(Kind kind) throws Exception {
    open(SharedNodes.of(SharedNodes.NEWEST), kind);
    publish(kind, LONG);
    BasicProperties bare = new BasicProperties.Builder().messageId("sent again").build();
    BasicProperties asSeen =
        bare.builder()
            .headers(Map.of("x-first-death-queue", "q", Headers.EXCHANGE, target))
            .build();
    world.channel().queuePurge(unroutable().name());
    world.channel().confirmSelect();
    int sent = 0;
    for (ExchangeSpec each : topology().exchanges()) {
      String part = each.name().substring(world.prefix().length() + 1);
      if (!part.startsWith("sink") && !part.equals("returned")) {
        world.channel().basicPublish(each.name(), "key", bare, new byte[0]);
        world.channel().basicPublish(each.name(), "key", asSeen, new byte[0]);
        sent += 2;
      }
    }
    world.channel().waitForConfirmsOrDie(10_000);
    int all = sent;
    await().untilAsserted(() -> assertThat(world.count(unroutable().name())).isEqualTo(all));
  }

  /** The key of such a message is its queue's, and so no move keeps it. */
  @Tag("wide")
  @Test
  void what_was_moved_out_of_a_temporary_queue_is_named() throws Exception {
    open(SharedNodes.of(SharedNodes.NEWEST), Kind.TEMPORARY_QUORUM);
    String queue = queueOf(Kind.TEMPORARY_QUORUM, publish(Kind.TEMPORARY_QUORUM, LONG));
    moveAll(queue, unroutable().name(), null);
    DeadLetters.Result result = sendAgain();
    assertThat(result.sent()).isZero();
    assertThat(result.left().keySet())
        .singleElement()
        .asString()
        .contains("moved by hand", queue, target);
  }

  @Tag("wide")
  @Test
  void what_was_to_pass_a_deleted_out_queue_is_sent_on() throws Exception {
    open(SharedNodes.of(SharedNodes.NEWEST), Kind.HOLD_QUORUM);
    DelayRoute defaults = routes.defaults().toBuilder().isolation(Isolation.DESTINATION).build();
    DelayedPublisher isolating = world.publisher(routes.toBuilder().defaults(defaults).build());
    PublishReceipt receipt =
        Futures.get(isolating.publish(message(Kind.HOLD_QUORUM, Duration.ofMillis(2_500))));
    String out = world.ours("out.hands~2etarget~2eHOLD_QUORUM");
    assertThat(world.exists(out)).isTrue();
    world.channel().queueDelete(out);

    await().atMost(Duration.ofSeconds(15)).until(() -> world.count(unroutable().name()) == 1);
    await().until(() -> sendAgain().sent() == 1);
    assertThat(inbox.awaitOne().id()).isEqualTo(receipt.id());
  }

  @Tag("wide")
  @Test
  void a_purge_takes_what_is_there_and_no_more() throws Exception {
    open(SharedNodes.of(SharedNodes.NEWEST), Kind.HOLD_QUORUM);
    String queue = queueOf(Kind.HOLD_QUORUM, publish(Kind.HOLD_QUORUM, Duration.ofSeconds(4)));
    world.channel().queuePurge(queue);
    assertNeighbourOnTime(Kind.HOLD_QUORUM);
    assertThat(inbox.arrivals()).hasSize(1);
  }

  private void open(BrokerNode node, Kind kind) throws Exception {
    world = new World(node, "Hands-" + kind);
    HoldQueues queues =
        kind.type == HoldQueueType.CLASSIC
            ? HoldQueues.classicAcceptingLoss()
            : HoldQueues.quorum();
    HoldOptions hold =
        world.routes().hold().toBuilder()
            .wheel(World.SMALL_WHEEL.toBuilder().queues(queues).build())
            .ttlQueues(queues)
            .temporaryQueues(TemporaryQueueOptions.defaults().toBuilder().queues(queues).build())
            .build();
    DelayRoute.Builder defaults =
        DelayRoute.defaults().toBuilder().strategy(DelayStrategy.QUEUE_WHEEL);
    routes =
        world.routes().toBuilder()
            .hold(hold)
            .defaults(defaults.delays(SHORT, LONG).build())
            .build();
    target = world.target("hands.target." + kind);
    publisher = world.publisher(routes);
    for (QueueSpec each : topology().queues()) {
      world.channel().queuePurge(each.name());
    }
    inbox = world.inbox(target);
  }

  private DelayedMessage message(Kind kind, Duration delay) {
    return DelayedMessage.to(target, "key").strategy(kind.strategy).delay(delay);
  }

  private PublishReceipt publish(Kind kind, Duration delay) {
    PublishReceipt receipt = Futures.get(publisher.publish(message(kind, delay)));
    assertThat(receipt.outcome()).isEqualTo(CONFIRMED);
    return receipt;
  }

  /** Another message of that kind, in the same queues where there are such. */
  private void assertNeighbourOnTime(Kind kind) {
    int before = inbox.arrivals().size();
    PublishReceipt fine = publish(kind, SHORT);
    Inbox.Arrival last = inbox.await(before + 1, Duration.ofSeconds(15)).get(before);
    assertThat(last.id()).isEqualTo(fine.id());
    assertThat(last.lateness()).isBetween(Duration.ZERO, ON_TIME);
  }

  private String queueOf(Kind kind, PublishReceipt receipt) throws Exception {
    if (kind.strategy == DelayStrategy.TEMPORARY_QUEUE) {
      return new Names(world.prefix())
          .temporaryQueue(TemporaryQueue.token(receipt.id(), receipt.deliverAt()));
    }
    await().until(() -> !holding().isEmpty());
    return holding().get(0);
  }

  /** The hold queues that have messages, the longest TTL first. */
  private List<String> holding() throws Exception {
    Names names = new Names(world.prefix());
    List<QueueSpec> some = new ArrayList<>();
    for (QueueSpec each : topology().queues()) {
      if (names.holds(each.name()) != null && world.count(each.name()) > 0) {
        some.add(each);
      }
    }
    return some.stream().map(QueueSpec::name).toList();
  }

  private Topology topology() {
    return Topology.of(
        routes, new BrokerCapabilities(world.node().version(), false, false, 131_072, "guest"));
  }

  private QueueSpec unroutable() {
    return topology().queues().stream()
        .filter(each -> each.name().equals(world.ours("unroutable")))
        .findFirst()
        .orElseThrow();
  }

  /**
   * As a shovel does.
   *
   * @param key null for the one that a message came with
   */
  private void moveAll(String from, String exchange, String key) throws Exception {
    Channel channel = world.channel();
    channel.confirmSelect();
    long last = 0;
    for (GetResponse next = channel.basicGet(from, false);
        next != null;
        next = channel.basicGet(from, false)) {
      channel.basicPublish(
          exchange,
          key == null ? next.getEnvelope().getRoutingKey() : key,
          next.getProps(),
          next.getBody());
      last = next.getEnvelope().getDeliveryTag();
    }
    channel.waitForConfirmsOrDie(10_000);
    if (last > 0) {
      channel.basicAck(last, true);
    }
  }

  private DeadLetters.Result sendAgain() throws Exception {
    try (Connection connection = world.node().connectionFactory().newConnection("send");
        DeadLetters waiting = kept(connection, world.prefix())) {
      return waiting.send(Set.of(), seen -> true);
    }
  }

  private Found look() throws Exception {
    NamedBroker broker =
        new NamedBroker(
            world.node().amqpUri(), world.node().version(), List.of(), Optional.empty());
    return new HoldCheck(broker, routes).look();
  }

  private static DeadLetters kept(Connection connection, String prefix) throws IOException {
    Names names = new Names(prefix);
    return new DeadLetters(connection, names, DeadLetterQueue.unroutable(names));
  }
}
