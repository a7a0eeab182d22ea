// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.localbroker.BrokerNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The broker killed and restarted while it holds messages in quorum queues: nothing is lost. */
class BrokerCrashIT {
  private static final Duration CONFIGURED = Duration.ofSeconds(7);
  private static final int EACH = 500;

  /** Due before, while and after the broker is away; to classic and to quorum queues. */
  @ParameterizedTest
  // Not 3.10: before 3.13.7 a broker loses the BCC keys of what it dead-letters a second time.
  @ValueSource(strings = "4.3")
  void two_thousand_held_messages_arrive_and_none_early(String version) throws Exception {
    try (BrokerNode node = SharedNodes.own(version);
        World world = new World(node, "BrokerCrashIT")) {
      String classic = world.queue("crash.classic");
      String quorum = world.queue("crash.quorum", Map.of("x-queue-type", "quorum"));
      DelayRoutes routes =
          world.routes().toBuilder()
              .defaults(DelayRoute.defaults().toBuilder().delays(CONFIGURED).build())
              .build();
      DelayedPublisher publisher = world.publisher(routes);
      Inbox classicBefore = world.inbox(classic);
      Inbox quorumBefore = world.inbox(quorum);
      Random random = new Random(11);
      List<PublishReceipt> receipts = new ArrayList<>();
      for (String target : List.of(classic, quorum)) {
        receipts.addAll(
            Futures.all(
                EACH, i -> publisher.publish(DelayedMessage.toQueue(target).delay(CONFIGURED))));
        receipts.addAll(
            Futures.all(
                EACH,
                i ->
                    publisher.publish(
                        DelayedMessage.toQueue(target)
                            .delay(Duration.ofMillis(2_000 + random.nextInt(9_000))))));
      }
      assertThat(receipts).allMatch(PublishReceipt::confirmed);
      assertThat(receipts)
          .extracting(PublishReceipt::strategy)
          .contains(DelayStrategy.TTL_QUEUE, DelayStrategy.QUEUE_WHEEL);

      node.kill();
      node.start();

      Inbox classicAfter = world.inbox(classic);
      Inbox quorumAfter = world.inbox(quorum);
      List<Inbox> inboxes = List.of(classicBefore, quorumBefore, classicAfter, quorumAfter);
      Set<String> ids = new HashSet<>(receipts.stream().map(PublishReceipt::id).toList());
      try {
        Awaitility.await()
            .atMost(Duration.ofSeconds(60))
            .until(() -> missing(ids, inboxes).isEmpty());
      } catch (ConditionTimeoutException e) {
        throw new AssertionError(
            missing(ids, inboxes).size() + " have not arrived; queues: " + filled(node), e);
      }
      assertThat(inboxes)
          .flatExtracting(Inbox::arrivals)
          .allSatisfy(
              arrival -> assertThat(arrival.lateness()).isGreaterThanOrEqualTo(Duration.ZERO));
    }
  }

  private static List<String> filled(BrokerNode node) {
    return node.ctl("-q", "list_queues", "name", "messages")
        .lines()
        .filter(line -> !line.endsWith("\t0"))
        .toList();
  }

  private static Set<String> missing(Set<String> ids, List<Inbox> inboxes) {
    Set<String> missing = new HashSet<>(ids);
    inboxes.forEach(inbox -> inbox.ids().forEach(missing::remove));
    return missing;
  }
}
