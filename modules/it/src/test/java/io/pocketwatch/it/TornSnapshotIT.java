// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Connection;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.BrokerSource;
import io.pocketwatch.localbroker.LocalBroker;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What a kill between the two files of a quorum queue's snapshot does. The second file lists the
 * messages that are still held; RabbitMQ 4.3.6 (ra 3.1.10) takes its absence for "none", forgets
 * them, and crashes for good on the first that is due. So a node of ours, and a broker in {@code
 * docker/}, first puts an empty file there. A kill that hits those microseconds cannot be asked
 * for: the test takes the file away as the kill would have.
 */
@Tag("wide")
class TornSnapshotIT {
  private static final Duration DELAY = Duration.ofSeconds(25);
  private static final int MESSAGES = 50;

  private final List<String> held = new ArrayList<>();
  private Path snapshot;

  /** Fails when RabbitMQ has mended it: then what we do and write about it can go. */
  @Test
  void without_its_list_of_live_messages_the_queue_loses_them_and_dies() throws Exception {
    try (BrokerNode node = withFilesOfOurs();
        World world = new World(node, "torn")) {
      String target = world.queue("torn.target");
      DelayedPublisher publisher = hold(world, target);

      node.kill();
      Files.delete(listOfLive(snapshot));
      // Nothing to RabbitMQ, and something to those who would put a file there.
      Files.createSymbolicLink(listOfLive(snapshot), Path.of("nowhere"));
      node.start();

      String queue = queue(world);
      await().atMost(DELAY.plusSeconds(30)).until(() -> state(node, queue).equals("down"));
      assertThat(world.inbox(target).ids()).doesNotContainAnyElementsOf(held);
      await().until(() -> publisher.status().connected());
      assertThat(publish(publisher, target).outcome()).isNotEqualTo(PublishOutcome.CONFIRMED);
      assertThat(world.count(queue)).as("looks like an empty queue to AMQP").isZero();

      repair(node, world, queue);
      assertThat(publish(publisher, target).outcome()).isEqualTo(PublishOutcome.CONFIRMED);
    }
  }

  @Test
  void a_node_of_ours_completes_it_and_loses_nothing() throws Exception {
    try (BrokerNode node = withFilesOfOurs();
        World world = new World(node, "torn")) {
      String target = world.queue("torn.target");
      hold(world, target);

      node.kill();
      Files.delete(listOfLive(snapshot));
      node.start();

      assertThat(listOfLive(snapshot)).as("made anew by RabbitMQ").isNotEmptyFile();
      assertThatAllArrive(world, target);
    }
  }

  /** Torn earlier: its first file is half there, and the snapshot before it counts. */
  @Test
  void half_a_snapshot_beside_a_whole_one_does_no_harm() throws Exception {
    try (BrokerNode node = withFilesOfOurs();
        World world = new World(node, "torn")) {
      String target = world.queue("torn.target");
      hold(world, target);

      node.kill();
      byte[] whole = Files.readAllBytes(snapshot.resolve("snapshot.dat"));
      String later = snapshot.getFileName().toString().replaceFirst("_0", "_1");
      Path half = Files.createDirectory(snapshot.resolveSibling(later));
      Files.write(half.resolve("snapshot.dat"), Arrays.copyOf(whole, whole.length / 2));
      node.start();

      assertThat(half).doesNotExist();
      assertThatAllArrive(world, target);
    }
  }

  /** Such a one never had a list. */
  @Test
  void a_snapshot_that_holds_nothing_stays_one() throws Exception {
    try (BrokerNode node = withFilesOfOurs();
        World world = new World(node, "torn")) {
      String target = world.queue("torn.target");
      DelayedPublisher publisher = world.publisher(routes(world));
      snapshot = snapshot(world);
      assertThat(listOfLive(snapshot)).doesNotExist();

      node.kill();
      node.start();

      assertThat(listOfLive(snapshot)).as("made anew by RabbitMQ").isNotEmptyFile();
      await().until(() -> publisher.status().connected());
      assertThat(publish(publisher, target).outcome()).isEqualTo(PublishOutcome.CONFIRMED);
      assertThat(state(node, queue(world))).isEqualTo("running");
      assertThat(world.count(queue(world))).isEqualTo(1);
    }
  }

  /** Messages in one hold queue, and a snapshot of that. */
  private DelayedPublisher hold(World world, String target) throws Exception {
    DelayedPublisher publisher = world.publisher(routes(world));
    while (held.size() < MESSAGES) {
      PublishReceipt receipt = publish(publisher, target);
      assertThat(receipt.confirmed()).as("%s", receipt).isTrue();
      held.add(receipt.id());
    }
    snapshot = snapshot(world);
    await().atMost(Duration.ofSeconds(10)).until(() -> Files.exists(listOfLive(snapshot)));
    return publisher;
  }

  private static DelayRoutes routes(World world) {
    return world.routes().toBuilder()
        .defaults(DelayRoute.defaults().toBuilder().delays(DELAY).build())
        .build();
  }

  private static String queue(World world) {
    return world.ours("ttl.quorum." + DELAY.toMillis());
  }

  /** Has one written, and waits for it. */
  private static Path snapshot(World world) {
    String folder =
        world
            .node()
            .ctl(
                "eval",
                "{ok, Q} = rabbit_amqqueue:lookup(rabbit_misc:r(<<\"/\">>, queue, <<\""
                    + queue(world)
                    + "\">>)), {N, _} = Id = amqqueue:get_pid(Q),"
                    + " ok = ra:cast_aux_command(Id, force_checkpoint),"
                    + " io:format(\"FOLDER=~ts~n\", [ra_env:server_data_dir(quorum_queues,"
                    + " ra_directory:uid_of(quorum_queues, N))]).")
            .lines()
            .filter(line -> line.startsWith("FOLDER="))
            .findFirst()
            .orElseThrow()
            .substring("FOLDER=".length());
    return await()
        .atMost(Duration.ofSeconds(10))
        .until(
            () -> only(Path.of(folder, "snapshots")),
            found -> found != null && Files.exists(found.resolve("snapshot.dat")));
  }

  private void assertThatAllArrive(World world, String target) throws Exception {
    Inbox inbox = world.inbox(target);
    await()
        .atMost(DELAY.plusSeconds(60))
        .untilAsserted(() -> assertThat(inbox.ids()).containsAll(held));
  }

  private static Path only(Path snapshots) throws Exception {
    try (Stream<Path> all = Files.list(snapshots)) {
      List<Path> found = all.toList();
      return found.size() == 1 ? found.get(0) : null;
    }
  }

  private static Path listOfLive(Path snapshot) {
    return snapshot.resolve("indexes");
  }

  private static DelayedMessage message(String target) {
    return DelayedMessage.toQueue(target).delay(DELAY);
  }

  /** Into that queue: what waited for something before it was sent rides the wheel. */
  private static PublishReceipt publish(DelayedPublisher publisher, String target) {
    return Stream.generate(() -> publisher.publish(message(target)).join())
        .filter(receipt -> receipt.strategy() == DelayStrategy.TTL_QUEUE)
        .findFirst()
        .orElseThrow();
  }

  /** Not one in a container. */
  private static BrokerNode withFilesOfOurs() {
    return LocalBroker.find(
        LocalBrokerOptions.defaults()
            .withVersion(SharedNodes.NEWEST)
            .withControllable(true)
            .withPlugins(List.of())
            .withSources(EnumSet.of(BrokerSource.INSTALLED, BrokerSource.PACKAGES)),
        line -> {});
  }

  private static String state(BrokerNode node, String queue) {
    return node.ctl("-q", "list_queues", "name", "state")
        .lines()
        .filter(line -> line.startsWith(queue + "\t"))
        .map(line -> line.substring(queue.length() + 1))
        .findFirst()
        .orElse("gone");
  }

  private static void repair(BrokerNode node, World world, String queue) throws Exception {
    try (Connection connection = node.connectionFactory().newConnection("repair")) {
      connection.createChannel().queueDelete(queue);
    }
    world.publisher(routes(world));
    assertThat(state(node, queue)).isEqualTo("running");
  }
}
