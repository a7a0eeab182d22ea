// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static io.pocketwatch.PublishOutcome.CONFIRMED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.GetResponse;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.TopologyException;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Isolation;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions.TopologyMode;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.localbroker.BrokerControlException;
import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.tracking.TrackedPublisher;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each kind of program with the permissions that {@code modules/docs/operate/secure.md} gives it,
 * and what happens with one less. In its table the prefix is {@code pocketwatch}, and the targets
 * are {@code orders} and {@code mail}.
 */
@Tag("wide")
class LeastPrivilegesIT {
  private static final String NOTHING = "^$";
  private static final String ORDERS = "least-orders";
  private static final String MAIL = "least-mail";
  private static final Duration TTL = Duration.ofMillis(500);
  private static final Duration SOON = Duration.ofMillis(300);

  /** Not due before it is sent, on the slowest machine: that would go to the default exchange. */
  private static final Duration HELD_AGAIN = Duration.ofSeconds(5);

  @ParameterizedTest
  @ValueSource(strings = {"4.3", "3.10"})
  void whoever_declares(String version) throws Exception {
    try (World world = open(version, "least-declare")) {
      String ours = "^least-declare\\.";
      String writes = "^(least-declare\\.|least-orders$|least-mail$|amq\\.default$)";
      DelayedPublisher publisher =
          world.publisher(user(world, ours, writes, ours), routes(world, TopologyMode.DECLARE));

      assertArrive(world, publisher, ORDERS, order().delay(SOON));
      assertArrive(world, publisher, ORDERS, order().delay(TTL));
      assertArrive(world, publisher, ORDERS, order().delay(Duration.ZERO));
      assertArrive(world, publisher, MAIL, mail().delay(SOON));
      assertArrive(world, publisher, MAIL, mail().delay(Duration.ZERO));
      for (DelayedMessage each : List.of(order(), mail())) {
        assertArrive(
            world,
            publisher,
            each.exchange().isEmpty() ? MAIL : ORDERS,
            each.delay(SOON).strategy(DelayStrategy.TEMPORARY_QUEUE));
      }

      DelayRoutes isolated =
          routes(world, TopologyMode.DECLARE).toBuilder()
              .defaults(DelayRoute.defaults().toBuilder().isolation(Isolation.DESTINATION).build())
              .build();
      DelayedPublisher isolating = world.publisher(user(world, ours, writes, ours), isolated);
      assertArrive(world, isolating, ORDERS, order().delay(SOON));
      assertArrive(world, isolating, MAIL, mail().delay(SOON));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"4.3", "3.10"})
  void whoever_declares_with_less(String version) throws Exception {
    try (World world = open(version, "least-less")) {
      String ours = "^least-less\\.";
      DelayRoutes routes = routes(world, TopologyMode.DECLARE);
      assertCannotStart(user(world, NOTHING, ours, ours), routes);
      assertCannotStart(user(world, ours, NOTHING, ours), routes);
      assertCannotStart(user(world, ours, ours, NOTHING), routes);

      DelayedPublisher publisher = world.publisher(user(world, ours, ours, ours), routes);
      for (DelayedMessage each : List.of(order(), mail())) {
        assertThat(Futures.failure(publisher.publish(each.delay(SOON))))
            .as("a target it may not write to")
            .isInstanceOf(TopologyException.class)
            .hasMessageContaining("ACCESS_REFUSED");
      }
    }
  }

  /** Bound by somebody else, as above. */
  @ParameterizedTest
  @ValueSource(strings = {"4.3", "3.10"})
  void whoever_only_verifies_writes_to_ours(String version) throws Exception {
    try (World world = open(version, "least-verify")) {
      bind(world);
      DelayRoutes routes = routes(world, TopologyMode.VERIFY);
      DelayedPublisher publisher =
          world.publisher(user(world, NOTHING, "^least-verify\\.", NOTHING), routes);

      assertArrive(world, publisher, ORDERS, order().delay(SOON));
      assertArrive(world, publisher, ORDERS, order().delay(TTL));
      assertArrive(world, publisher, MAIL, mail().delay(SOON));
      assertRefused(publisher, order().delay(Duration.ZERO));
      assertRefused(publisher, mail().delay(Duration.ZERO));
      for (DelayedMessage each : List.of(order(), mail())) {
        assertThat(Futures.failure(publisher.publish(each.delay(Duration.ZERO))))
            .as("known now, or each message would close a channel under the others")
            .isInstanceOf(TopologyException.class)
            .hasMessageContaining("ACCESS_REFUSED");
      }

      String alsoDue = "^(least-verify\\.|least-orders$|amq\\.default$)";
      DelayedPublisher due = world.publisher(user(world, NOTHING, alsoDue, NOTHING), routes);
      assertArrive(world, due, ORDERS, order().delay(Duration.ZERO));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"4.3", "3.10"})
  void a_loader_that_declares(String version) throws Exception {
    try (World world = open(version, "least-loader")) {
      String ours = "^least-loader\\.";
      String writes = "^(least-loader\\.|least-orders$|amq\\.default$)";
      assertLoads(world, user(world, ours, writes, ours), TopologyMode.DECLARE);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"4.3", "3.10"})
  void a_loader_that_only_verifies(String version) throws Exception {
    try (World world = open(version, "least-loads")) {
      bind(world);
      String writes = "^(least-loads\\.|least-orders$)";
      assertLoads(world, user(world, NOTHING, writes, NOTHING), TopologyMode.VERIFY);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"4.3", "3.10"})
  void a_consumer_reads_its_queue(String version) throws Exception {
    try (World world = open(version, "least-consumer")) {
      PublishReceipt receipt = Futures.get(world.publisher().publish(mail().delay(SOON)));

      ConnectionFactory consumer = user(world, NOTHING, NOTHING, "^least-mail$");
      try (Inbox inbox = new Inbox(consumer, MAIL)) {
        assertThat(inbox.awaitOne().id()).isEqualTo(receipt.id());
      }
      assertChannelRefuses(consumer, "least-consumer.deliver", "pw-queues");
    }
  }

  /** Which it does on the queue it reads: that is bound like a target. */
  @ParameterizedTest
  @ValueSource(strings = {"4.3", "3.10"})
  void a_guard_that_holds_again(String version) throws Exception {
    try (World world = open(version, "least-guard");
        StoreWorld database = new StoreWorld()) {
      String both = "^(least-guard\\.|least-mail$)";
      String declared =
          holdAgain(world, database, TopologyMode.DECLARE, "^least-guard\\.", both, both);
      assertThat(declared).isEmpty();
      assertThat(arrived(world, MAIL)).isTrue();

      String less =
          holdAgain(
              world, database, TopologyMode.DECLARE, "^least-guard\\.", "^least-guard\\.", both);
      assertThat(less).contains("ACCESS_REFUSED");

      String verified =
          holdAgain(
              world, database, TopologyMode.VERIFY, NOTHING, "^least-guard\\.", "^least-mail$");
      assertThat(verified).as("bound above").isEmpty();
      assertThat(arrived(world, MAIL)).isTrue();

      world.channel().queueUnbind(MAIL, "least-guard.queues", MAIL);
      holdAgain(world, database, TopologyMode.VERIFY, NOTHING, "^least-guard\\.", "^least-mail$");
      assertThat(arrived(world, "least-guard.unroutable")).isTrue();
    }
  }

  /** Why not, or nothing. */
  private static String holdAgain(
      World world,
      StoreWorld database,
      TopologyMode mode,
      String configure,
      String write,
      String read)
      throws Exception {
    DelayRoutes routes = routes(world, mode);
    Delivery received =
        new Delivery(
            new Envelope(1, false, ORDERS, "key"),
            new BasicProperties.Builder().headers(Map.of()).build(),
            new byte[] {1});
    try (TrackedPublisher publisher =
        DelayedPublisher.builder(user(world, configure, write, read))
            .routes(routes)
            .build(TrackedPublisher.with(database.store()))) {
      HandOff handOff = publisher.unwrap(HandOff.class);
      return handOff
          .holdAgain(MAIL, received, handOff.now().plus(HELD_AGAIN))
          .handle(
              (receipt, error) ->
                  error != null
                      ? error.toString()
                      : receipt.confirmed() ? "" : receipt.outcome() + " " + receipt.detail())
          .join();
    }
  }

  private static boolean arrived(World world, String queue) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> world.channel().basicGet(queue, true), Objects::nonNull);
    return true;
  }

  /** The boundary of trust is the prefix: who may write to ours reaches all that is bound there. */
  @ParameterizedTest
  @ValueSource(strings = {"4.3", "3.10"})
  void a_prefix_reaches_its_own_destinations_and_no_others(String version) throws Exception {
    try (World world = open(version, "least-a");
        World other = open(version, "least-b")) {
      bind(world);
      bind(other);
      ConnectionFactory writer = user(world, NOTHING, "^least-a\\.", NOTHING);

      assertChannelRefuses(writer, ORDERS, "key");
      assertChannelRefuses(writer, "least-b.deliver", "pw-to-" + ORDERS);
      assertChannelRefuses(writer, "least-b.release", "any");
      world.channel().queuePurge(ORDERS);
      try (Connection connection = writer.newConnection();
          Channel channel = connection.createChannel()) {
        BasicProperties steered =
            new BasicProperties.Builder()
                .headers(Map.of("BCC", List.of("pw-to-" + ORDERS)))
                .build();
        channel.basicPublish("least-a.deliver", "key", steered, new byte[] {1});
        GetResponse arrived =
            Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .until(() -> world.channel().basicGet(ORDERS, true), Objects::nonNull);
        assertThat(arrived.getBody()).containsExactly(1);
      }
    }
  }

  /** Or the virtual host: the same names there are others. */
  @ParameterizedTest
  @ValueSource(strings = {"4.3", "3.10"})
  void a_virtual_host_keeps_everybody_else_out(String version) throws Exception {
    try (World world = open(version, "least-host")) {
      BrokerNode node = world.node();
      node.ctl("add_vhost", "least-private");
      try {
        node.ctl("set_permissions", "-p", "least-private", "guest", ".*", ".*", ".*");
        ConnectionFactory stranger = user(world, ".*", ".*", ".*");
        stranger.setVirtualHost("least-private");
        assertThatThrownBy(() -> stranger.newConnection().close())
            .isInstanceOf(IOException.class)
            .rootCause()
            .hasMessageContaining("least-private");

        ConnectionFactory inside = node.connectionFactory();
        inside.setVirtualHost("least-private");
        try (DelayedPublisher publisher =
            DelayedPublisher.builder(inside).routes(world.routes()).build()) {
          assertThat(Futures.failure(publisher.publish(order().delay(SOON))))
              .as("a target of the other virtual host")
              .hasMessageContaining(ORDERS);
        }
      } finally {
        node.ctl("delete_vhost", "least-private");
      }
    }
  }

  private static void assertLoads(World world, ConnectionFactory factory, TopologyMode mode)
      throws Exception {
    try (StoreWorld database = new StoreWorld()) {
      DelayRoutes routes =
          StoreWorld.routes(world, ORDERS, Tracking.HANDOFF).toBuilder()
              .hold(world.routes().hold().toBuilder().topology(mode).build())
              .build();
      Inbox inbox = world.inbox(ORDERS);
      try (TrackedPublisher publisher =
              DelayedPublisher.builder(factory)
                  .routes(routes)
                  .build(TrackedPublisher.with(database.store()));
          Loader loader = new Loader(publisher)) {
        for (Duration delay : List.of(Duration.ofSeconds(3), Duration.ofMillis(1))) {
          DelayedMessage message = DelayedMessage.to(ORDERS, "key").delay(delay);
          ScheduledMessage row = publisher.unwrap(HandOff.class).prepare(message).row();
          database.store().insert(List.of(row), null);
        }

        loader.runOnce();

        inbox.await(2, Duration.ofSeconds(15));
      }
    }
  }

  private static World open(String version, String prefix) throws IOException {
    World world = new World(SharedNodes.of(version), prefix);
    world.target(ORDERS);
    world.queue(MAIL);
    return world;
  }

  private static DelayRoutes routes(World world, TopologyMode mode) {
    return world.routes().toBuilder()
        .hold(world.routes().hold().toBuilder().topology(mode).build())
        .defaults(DelayRoute.defaults().toBuilder().delays(TTL).build())
        .build();
  }

  /** What an administrator does, once: declares ours, and binds the destinations. */
  private static void bind(World world) throws IOException {
    DelayRoutes routes = routes(world, TopologyMode.DECLARE);
    try (DelayedPublisher administrator =
        DelayedPublisher.builder(world.node().connectionFactory()).routes(routes).build()) {
      for (DelayedMessage each : List.of(order(), mail())) {
        Futures.get(administrator.publish(each.delay(SOON)));
      }
      for (String queue : List.of(ORDERS, MAIL)) {
        Awaitility.await().until(() -> world.channel().basicGet(queue, true), Objects::nonNull);
      }
    }
  }

  private static DelayedMessage order() {
    return DelayedMessage.to(ORDERS, "key");
  }

  private static DelayedMessage mail() {
    return DelayedMessage.toQueue(MAIL);
  }

  private static void assertArrive(
      World world, DelayedPublisher publisher, String queue, DelayedMessage message)
      throws Exception {
    try (Inbox inbox = new Inbox(world.node().connectionFactory(), queue)) {
      PublishReceipt receipt = Futures.get(publisher.publish(message));
      assertThat(receipt.outcome()).as("%s", receipt).isEqualTo(CONFIRMED);
      assertThat(inbox.awaitOne().id()).isEqualTo(receipt.id());
    }
  }

  /** Whether by an exception or by its outcome: it says why, and the next one is not harmed. */
  private static void assertRefused(DelayedPublisher publisher, DelayedMessage message) {
    String words =
        publisher
            .publish(message)
            .handle((receipt, error) -> error == null ? receipt.toString() : error.toString())
            .join();
    assertThat(words).contains("ACCESS_REFUSED").doesNotContain("CONFIRMED");
  }

  private static void assertCannotStart(ConnectionFactory factory, DelayRoutes routes) {
    assertThatThrownBy(() -> DelayedPublisher.builder(factory).routes(routes).build().close())
        .isInstanceOf(TopologyException.class)
        .hasMessageContaining("ACCESS_REFUSED");
  }

  private static void assertChannelRefuses(ConnectionFactory factory, String exchange, String key)
      throws Exception {
    try (Connection connection = factory.newConnection()) {
      Channel channel = connection.createChannel();
      channel.confirmSelect();
      assertThatThrownBy(
              () -> {
                channel.basicPublish(exchange, key, null, new byte[0]);
                channel.waitForConfirms(5_000);
              })
          .as("%s", exchange)
          .satisfies(
              error ->
                  assertThat(Stream.iterate(error, Objects::nonNull, Throwable::getCause))
                      .anyMatch(each -> String.valueOf(each.getMessage()).contains("403")));
      assertThatThrownBy(() -> channel.basicQos(1)).isInstanceOf(AlreadyClosedException.class);
    }
  }

  private static ConnectionFactory user(World world, String configure, String write, String read) {
    BrokerNode node = world.node();
    try {
      node.ctl("set_permissions", "least", configure, write, read);
    } catch (BrokerControlException notThereYet) {
      node.ctl("add_user", "least", "least");
      node.ctl("set_permissions", "least", configure, write, read);
    }
    ConnectionFactory factory = node.connectionFactory();
    factory.setUsername("least");
    factory.setPassword("least");
    factory.setAutomaticRecoveryEnabled(false);
    return factory;
  }
}
