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
import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.BrokerSource;
import io.pocketwatch.localbroker.LocalBroker;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import io.pocketwatch.route.DelayRoute;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What a kill between the two files of a quorum queue's snapshot does, on the broker as it is. The
 * second file lists the messages that are still held; RabbitMQ 4.3.6 (ra 3.1.10) takes its absence
 * for "none", forgets them, and crashes for good on the first that is due. A kill that hits those
 * microseconds cannot be asked for, so the test takes the file away as the kill would have.
 */
class TornSnapshotIT {
  private static final Duration DELAY = Duration.ofSeconds(25);
  private static final int MESSAGES = 50;

  private final List<String> held = new ArrayList<>();
  private Path snapshot;

  /** Fails when RabbitMQ has mended it: then the advice in the README can go. */
  @Test
  void without_its_list_of_live_messages_the_queue_loses_them_and_dies() throws Exception {
    try (BrokerNode node = withFilesOfOurs();
        World world = new World(node, "torn")) {
      String target = world.queue("torn.target");
      DelayedPublisher publisher = hold(world, target);

      node.kill();
      Files.delete(listOfLive(snapshot));
      node.start();

      String queue = world.ours("ttl.quorum." + DELAY.toMillis());
      await().atMost(DELAY.plusSeconds(30)).until(() -> state(node, queue).equals("down"));
      assertThat(world.inbox(target).ids()).doesNotContainAnyElementsOf(held);
      await().until(publisher::connected);
      assertThat(publish(publisher, target).outcome()).isNotEqualTo(PublishOutcome.CONFIRMED);
      assertThat(world.count(queue)).as("looks like an empty queue to AMQP").isZero();

      repair(node, world, queue);
      assertThat(publish(publisher, target).outcome()).isEqualTo(PublishOutcome.CONFIRMED);
    }
  }

  /** An empty list is a broken one, and that the broker writes again from the snapshot. */
  @Test
  void an_empty_list_put_there_before_the_start_saves_them() throws Exception {
    try (BrokerNode node = withFilesOfOurs();
        World world = new World(node, "torn")) {
      String target = world.queue("torn.target");
      hold(world, target);

      node.kill();
      Files.write(listOfLive(snapshot), new byte[0]);
      node.start();

      Inbox inbox = world.inbox(target);
      await()
          .atMost(DELAY.plusSeconds(60))
          .untilAsserted(() -> assertThat(inbox.ids()).containsAll(held));
    }
  }

  /** Messages in one hold queue, and a snapshot of that. */
  private DelayedPublisher hold(World world, String target) throws Exception {
    DelayedPublisher publisher =
        world.publisher(world.routes().withDefaults(DelayRoute.defaults().withDelays(DELAY)));
    while (held.size() < MESSAGES) {
      PublishReceipt receipt = publish(publisher, target);
      assertThat(receipt.confirmed()).as("%s", receipt).isTrue();
      held.add(receipt.id());
    }
    String queue = world.ours("ttl.quorum." + DELAY.toMillis());
    String folder =
        world
            .node()
            .ctl(
                "eval",
                "{ok, Q} = rabbit_amqqueue:lookup(rabbit_misc:r(<<\"/\">>, queue, <<\""
                    + queue
                    + "\">>)), {N, _} = Id = amqqueue:get_pid(Q),"
                    + " ok = ra:cast_aux_command(Id, force_checkpoint),"
                    + " io:format(\"FOLDER=~ts~n\", [ra_env:server_data_dir(quorum_queues,"
                    + " ra_directory:uid_of(quorum_queues, N))]).")
            .lines()
            .filter(line -> line.startsWith("FOLDER="))
            .findFirst()
            .orElseThrow()
            .substring("FOLDER=".length());
    Path snapshots = Path.of(folder, "snapshots");
    await()
        .atMost(Duration.ofSeconds(10))
        .until(() -> only(snapshots) != null && Files.exists(listOfLive(only(snapshots))));
    snapshot = only(snapshots);
    return publisher;
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
    world.publisher(world.routes().withDefaults(DelayRoute.defaults().withDelays(DELAY)));
    assertThat(state(node, queue)).isEqualTo("running");
  }
}
