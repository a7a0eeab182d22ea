// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.LocalBroker;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import io.pocketwatch.route.DelayRoutes;
import io.pocketwatch.server.config.StoreSettings;
import io.pocketwatch.server.store.OpenStore;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageState;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A hold queue whose process is gone, as a torn snapshot leaves it. */
@Tag("wide")
class RepairIT {
  private static final String BROKEN = "pocketwatch.wheel.quorum.1m.30";
  private static final MessageKey LOST = new MessageKey("orders", "lost");
  private static final MessageKey LATER = new MessageKey("orders", "later");

  @TempDir private Path folder;

  @Test
  void finds_the_broken_queue_and_makes_it_anew() throws Exception {
    try (TestDatabase database = TestDatabases.h2();
        OpenStore open = OpenStore.create(StoreSettings.at(database.url(), Map.of()));
        BrokerNode node =
            LocalBroker.find(
                LocalBrokerOptions.defaults()
                    .withVersion("4.3")
                    .withControllable(true)
                    .withPlugins(List.of()),
                line -> {})) {
      Path config = configure(database);
      schedule(node, config, open);
      assertThat(repair(node, config).err()).contains("All 142 hold queues take messages.");

      stopProcess(node, BROKEN);

      CommandRun found = repair(node, config);
      assertThat(found.exitCode()).isEqualTo(1);
      assertThat(found.out()).containsExactly(BROKEN + " refuses messages");
      assertThat(open.store().find(LOST).orElseThrow().state()).isEqualTo(MessageState.HELD);

      CommandRun repaired = repair(node, config, "--yes");
      assertThat(repaired.exitCode()).as("%s", repaired).isZero();
      assertThat(repaired.lastOut())
          .isEqualTo(
              "1 message due within 31m, tracked 'full', sent again as soon as a loader runs.");
      assertThat(open.store().find(LOST).orElseThrow().state()).isEqualTo(MessageState.PENDING);
      assertThat(open.store().find(LATER).orElseThrow().state()).isEqualTo(MessageState.HELD);
      assertThat(repair(node, config).exitCode()).isZero();
      assertThat(messages(node, "pocketwatch.unroutable")).as("probes end in the sink").isZero();
    }
  }

  private static CommandRun repair(BrokerNode node, Path config, String... more) {
    String[] line = {"repair", "--config=" + config, "--broker=" + node.amqpUri()};
    return CommandRun.of(Stream.of(line, more).flatMap(Stream::of).toArray(String[]::new));
  }

  private Path configure(TestDatabase database) throws Exception {
    return Files.writeString(
        folder.resolve("pocketwatch.yml"),
        """
        pocketwatch:
          routes:
            orders: {routing-key: orders, tracking: full}
          wheel: {max-delay: 1d, resolution: 1s, hands: [1h, 1m, 1s]}
          loader: {every: 12h}
          store: {url: '%s'}
        """
            .formatted(database.url()));
  }

  private static void schedule(BrokerNode node, Path config, OpenStore open) throws Exception {
    try (Connection connection = node.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare("orders", true, false, false, Map.of());
    }
    try (DelayedPublisher publisher =
        DelayedPublisher.builder(node.connectionFactory())
            .routes(DelayRoutes.load(config))
            .store(open.store())
            .build()) {
      publisher.publish(to(LOST, Duration.ofMinutes(30))).join();
      publisher.publish(to(LATER, Duration.ofMinutes(50))).join();
      await()
          .until(
              () ->
                  open.store().find(LOST).orElseThrow().state() == MessageState.HELD
                      && open.store().find(LATER).orElseThrow().state() == MessageState.HELD);
    }
  }

  private static DelayedMessage to(MessageKey key, Duration delay) {
    return DelayedMessage.toQueue("orders").id(key.id()).body("x").delay(delay);
  }

  private static void stopProcess(BrokerNode node, String queue) {
    node.ctl(
        "eval",
        "{ok, Q} = rabbit_amqqueue:lookup(rabbit_misc:r(<<\"/\">>, queue, <<\""
            + queue
            + "\">>)), ok = ra:stop_server(quorum_queues, amqqueue:get_pid(Q)).");
  }

  private static long messages(BrokerNode node, String queue) throws Exception {
    try (Connection connection = node.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      return channel.messageCount(queue);
    }
  }
}
