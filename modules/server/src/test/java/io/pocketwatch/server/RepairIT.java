// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.LocalBroker;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import io.pocketwatch.server.config.StoreSettings;
import io.pocketwatch.server.deadletter.HoldProbe;
import io.pocketwatch.server.store.OpenStore;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import io.pocketwatch.tracking.TrackedPublisher;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What repair makes of hold queues that take no messages, each for another reason. */
@Tag("wide")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RepairIT {
  private static final MessageKey LOST = new MessageKey("orders", "lost");
  private static final MessageKey LATER = new MessageKey("orders", "later");

  @TempDir private Path folder;
  private BrokerNode node;
  private TestDatabase database;
  private OpenStore open;
  private String prefix = "none-yet";
  private Path config;
  private String broken;

  @BeforeAll
  void start() {
    node =
        LocalBroker.find(
            LocalBrokerOptions.defaults()
                .withVersion("4.3")
                .withControllable(true)
                .withPlugins(List.of()),
            line -> {});
  }

  @AfterAll
  void stop() {
    node.close();
  }

  /** Two messages for each test, in hold queues of its own. */
  @BeforeEach
  void schedule(TestInfo test) throws Exception {
    database = TestDatabases.h2();
    open = OpenStore.create(StoreSettings.at(database.url(), Map.of()));
    prefix = test.getTestMethod().orElseThrow().getName();
    broken = prefix + ".wheel.quorum.1m.30";
    config = configure();
    schedule();
  }

  @AfterEach
  void close() throws Exception {
    open.close();
    database.close();
  }

  /** As a torn snapshot leaves it. */
  @Test
  void finds_the_broken_queue_and_makes_it_anew() throws Exception {
    assertThat(repair().err()).contains("All 142 hold queues take messages and pass them on.");

    stopProcess();

    CommandRun found = repair();
    assertThat(found.exitCode()).isEqualTo(1);
    assertThat(found.out()).containsExactly(broken + " refuses messages");
    assertThat(found.err()).anyMatch(line -> line.contains("First restart the broker"));
    assertThat(state(LOST)).isEqualTo(MessageState.HELD);

    CommandRun repaired = repair("--yes");
    assertThat(repaired.exitCode()).as("%s", repaired).isZero();
    assertThat(repaired.err())
        .anyMatch(line -> line.contains("What was held there is lost: messages due within 31m."));
    assertThat(state(LOST)).as("to be released by hand").isEqualTo(MessageState.HELD);
    assertThat(messages(broken)).isZero();
    assertThat(repair().exitCode()).isZero();
    assertThat(messages(prefix + ".unroutable")).as("probes end in the sink").isZero();
  }

  @Test
  void only_binds_what_is_not_bound() throws Exception {
    HoldProbe probe =
        HoldProbe.all(
                DelayRoutes.load(config),
                new BrokerCapabilities("4.3.6", false, true, 131_072, "guest"))
            .stream()
            .filter(each -> each.queue().equals(broken))
            .findFirst()
            .orElseThrow();
    onChannel(channel -> channel.queueUnbind(broken, probe.exchange(), probe.routingKey()));
    assertThat(repair().out()).containsExactly(broken + " is not there or not bound");

    CommandRun repaired = repair("--yes");

    assertThat(repaired.exitCode()).as("%s", repaired).isZero();
    assertThat(messages(broken)).isEqualTo(1);
    assertThat(state(LOST)).isEqualTo(MessageState.HELD);
  }

  @Test
  void declares_an_exchange_that_somebody_has_deleted() throws Exception {
    onChannel(channel -> channel.exchangeDelete(prefix + ".deliver"));

    CommandRun found = repair();
    assertThat(found.exitCode()).isEqualTo(1);
    assertThat(found.out()).containsExactly("exchange " + prefix + ".deliver is not there");
    assertThat(found.err()).anyMatch(line -> line.contains("With --yes it is declared and bound"));

    CommandRun repaired = repair("--yes");
    assertThat(repaired.exitCode()).as("%s", repaired).isZero();
    assertThat(messages(broken)).isEqualTo(1);
    assertThat(state(LOST)).isEqualTo(MessageState.HELD);
  }

  @Test
  void makes_a_binding_again_without_which_nothing_is_passed_on() throws Exception {
    onChannel(channel -> channel.exchangeUnbind(prefix + ".deliver", prefix + ".release", ""));
    assertThat(repair().out()).hasSize(142);

    CommandRun repaired = repair("--yes");

    assertThat(repaired.exitCode()).as("%s", repaired).isZero();
    assertThat(messages(broken)).isEqualTo(1);
  }

  @Test
  void changes_nothing_when_one_does_not_answer() throws Exception {
    inItsProcess("sys:suspend(whereis(N))");
    try {
      CommandRun run = repair("--yes");
      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.out()).contains(broken + " did not answer within 10 s");
      assertThat(run.err()).anyMatch(line -> line.startsWith("Nothing is changed"));
    } finally {
      inItsProcess("sys:resume(whereis(N))");
    }
    assertThat(state(LOST)).isEqualTo(MessageState.HELD);
    await().until(() -> messages(broken) == 1);
    assertThat(repair().exitCode()).isZero();
  }

  /** As a node whose dead-letter workers have all gone: RabbitMQ 4.3.6, seen after a crash. */
  @Test
  void leaves_one_alone_that_passes_none_on() throws Exception {
    node.ctl("eval", "supervisor:terminate_child(rabbit_sup, rabbit_fifo_dlx_sup).");
    try {
      CommandRun run = repair("--yes");

      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.out())
          .hasSize(142)
          .allMatch(line -> line.contains("takes messages, and has not passed one on in 10 s"));
      assertThat(run.err()).anyMatch(line -> line.contains("restart the node that leads it"));
      assertThat(state(LOST)).isEqualTo(MessageState.HELD);
    } finally {
      node.stop();
      node.start();
    }
    await().until(() -> repair().exitCode() == 0);
  }

  @Test
  void says_what_is_not_there_where_nothing_was_declared() throws Exception {
    Path other = Files.writeString(folder.resolve("other.yml"), "pocketwatch: {name-prefix: nil}");
    CommandRun run = CommandRun.of("repair", "--config=" + other, "--broker=" + node.amqpUri());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).anyMatch(line -> line.contains("NOT_FOUND") && line.contains("nil."));
  }

  @Test
  void leaves_a_full_one_alone() throws Exception {
    publish(DelayedMessage.toQueue("orders").id("second").body("x").delay(Duration.ofMinutes(30)));
    node.ctl(
        "set_policy", "--apply-to", "queues", "small", "^" + broken + "$", "{\"max-length\":1}");
    try {
      await().until(() -> !repair("--yes").out().isEmpty());
      CommandRun run = repair("--yes");
      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.out())
          .containsExactly(broken + " refuses messages and is full, with 2 messages");
      assertThat(run.err()).anyMatch(line -> line.contains("max-length"));
      assertThat(messages(broken)).isEqualTo(2);
      assertThat(state(LOST)).isEqualTo(MessageState.HELD);
    } finally {
      node.ctl("clear_policy", "small");
    }
    await().until(() -> repair().exitCode() == 0);
  }

  private MessageState state(MessageKey key) {
    return open.store().find(key).orElseThrow().state();
  }

  private CommandRun repair(String... more) {
    String[] line = {"repair", "--config=" + config, "--broker=" + node.amqpUri()};
    return CommandRun.of(Stream.of(line, more).flatMap(Stream::of).toArray(String[]::new));
  }

  private Path configure() throws Exception {
    return Files.writeString(
        folder.resolve("pocketwatch.yml"),
        """
        pocketwatch:
          name-prefix: %s
          routes:
            orders: {routing-key: orders, tracking: handoff, strategy: QUEUE_WHEEL}
          wheel: {max-delay: 1d, resolution: 1s, hands: [1h, 1m, 1s]}
          loader: {every: 12h}
          store: {url: '%s'}
        """
            .formatted(prefix, database.url()));
  }

  private void schedule() throws Exception {
    onChannel(channel -> channel.queueDeclare("orders", true, false, false, Map.of()));
    publish(to(LOST, Duration.ofMinutes(30)), to(LATER, Duration.ofMinutes(50)));
    await().until(() -> state(LOST) == MessageState.HELD && state(LATER) == MessageState.HELD);
  }

  private void publish(DelayedMessage... messages) throws Exception {
    try (TrackedPublisher publisher =
        DelayedPublisher.builder(node.connectionFactory())
            .routes(DelayRoutes.load(config))
            .build(TrackedPublisher.with(open.store()))) {
      for (DelayedMessage message : messages) {
        publisher.publish(message).join();
      }
      await().until(() -> open.store().count(MessageQuery.all().states(MessageState.PENDING)) == 0);
    }
  }

  private static DelayedMessage to(MessageKey key, Duration delay) {
    return DelayedMessage.toQueue("orders").id(key.id()).body("x").delay(delay);
  }

  private void stopProcess() {
    inItsProcess("ok = ra:stop_server(quorum_queues, amqqueue:get_pid(Q))");
  }

  private void inItsProcess(String expression) {
    node.ctl(
        "eval",
        "{ok, Q} = rabbit_amqqueue:lookup(rabbit_misc:r(<<\"/\">>, queue, <<\""
            + broken
            + "\">>)), {N, _} = amqqueue:get_pid(Q), "
            + expression
            + ", N.");
  }

  private long messages(String queue) throws Exception {
    long[] count = {-1};
    onChannel(channel -> count[0] = channel.messageCount(queue));
    return count[0];
  }

  private void onChannel(OnChannel action) throws Exception {
    try (Connection connection = node.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      action.run(channel);
    }
  }

  private interface OnChannel {
    void run(Channel channel) throws Exception;
  }
}
