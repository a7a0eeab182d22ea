// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.testkit.Arrival;
import io.pocketwatch.testkit.QueueType;
import io.pocketwatch.testkit.Targets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Where a message arrives: at its own exchange, under its own keys. */
interface RoutingContract extends StrategyContract {

  @PerStrategy
  default void directTopicFanoutAndHeadersExchangesRouteAsEver(DelayStrategy strategy)
      throws Exception {
    try (Targets targets = targets()) {
      String headers = targets.exchange(BuiltinExchangeType.HEADERS);
      Map<String, Object> match = Map.of("x-match", "all", "tenant", "acme", "level", 3);
      List<Target> all =
          List.of(
              Target.of(targets, BuiltinExchangeType.DIRECT, KEY),
              Target.of(targets, BuiltinExchangeType.TOPIC, "invoice.*"),
              Target.of(targets, BuiltinExchangeType.FANOUT, ""),
              Target.behind(targets, headers, "", match));
      List<Target> others =
          List.of(
              Target.behind(targets, all.get(0).exchange(), "invoice", Map.of()),
              Target.behind(targets, all.get(1).exchange(), "*.*.*", Map.of()),
              Target.behind(
                  targets, headers, "", Map.of("x-match", "all", "tenant", "other", "level", 3)));
      List<DelayedMessage> messages = new ArrayList<>();
      for (Target target : all) {
        messages.add(message(target, strategy).header("tenant", "acme").header("level", 3));
      }
      List<PublishReceipt> receipts = setup().publish(messages);

      for (int i = 0; i < all.size(); i++) {
        assertThat(all.get(i).awaitOnce(List.of(receipts.get(i))))
            .allMatch(arrival -> arrival.delayed().routingKey().equals(KEY));
      }
      others.forEach(other -> other.arrivals().awaitNothing());
    }
  }

  @PerStrategy
  default void theDefaultExchangeReachesAQueueByName(DelayStrategy strategy) throws Exception {
    try (Targets targets = targets()) {
      for (QueueType type : QueueType.values()) {
        Target target = Target.queue(targets, targets.queue(type));
        String queue = target.queues().get(0);
        DelayedMessage message = DelayedMessage.toQueue(queue).delay(SHORT).strategy(strategy);
        assertThat(deliver(target, message))
            .allMatch(arrival -> arrival.delayed().routingKey().equals(queue));
      }
    }
  }

  @PerStrategy
  default void queuesBehindAnExchangeThatIsBoundToTheTargetGetItToo(DelayStrategy strategy)
      throws Exception {
    try (Targets targets = targets()) {
      Target behind = Target.of(targets, BuiltinExchangeType.TOPIC, "#.paid");
      String middle = targets.exchange(BuiltinExchangeType.FANOUT);
      String front = targets.exchange(BuiltinExchangeType.DIRECT);
      targets.bindExchange(middle, front, KEY);
      targets.bindExchange(behind.exchange(), middle, "");
      DelayedMessage message = DelayedMessage.to(front, KEY).delay(SHORT).strategy(strategy);
      List<PublishReceipt> receipts = setup().publish(message);

      behind.arrivals().awaitExactly(behind.queues().size());
      assertThat(behind.arrivals().all())
          .extracting(Arrival::queue)
          .containsExactlyInAnyOrderElementsOf(behind.queues());
      assertThat(behind.arrivals().all())
          .allSatisfy(
              arrival -> {
                assertThat(arrival.id()).isEqualTo(receipts.get(0).id());
                assertThat(arrival.delayed().exchange()).isEqualTo(front);
                assertThat(arrival.delayed().routingKey()).isEqualTo(KEY);
                assertThat(arrival.at()).isAfterOrEqualTo(receipts.get(0).deliverAt());
              });
    }
  }

  @PerStrategy
  default void ccKeysRouteAndAreSeenBccKeysRouteAndAreNot(DelayStrategy strategy) throws Exception {
    BasicProperties properties =
        new BasicProperties.Builder()
            .deliveryMode(2)
            .messageId("m")
            .headers(Map.of("CC", List.of("copy"), "BCC", List.of("hidden", "hidden too")))
            .build();
    try (Targets targets = targets()) {
      Target first = Target.of(targets, BuiltinExchangeType.DIRECT, KEY);
      Target copy = Target.behind(targets, first.exchange(), "copy", Map.of());
      Target hidden = Target.behind(targets, first.exchange(), "hidden too", Map.of());
      Target none = Target.behind(targets, first.exchange(), "other", Map.of());
      Map<String, Arrival> undelayed = first.control(setup(), KEY, properties, new byte[0]);
      copy.arrivals().awaitExactly(2);
      hidden.arrivals().awaitExactly(2);
      List<PublishReceipt> receipts =
          setup().publish(message(first, strategy).properties(properties));

      List<Arrival> arrivals = new ArrayList<>(first.awaitOnce(receipts));
      arrivals.addAll(copy.arrivals().awaitExactly(4).subList(2, 4));
      arrivals.addAll(hidden.arrivals().awaitExactly(4).subList(2, 4));
      Arrival control = Objects.requireNonNull(undelayed.get(first.queues().get(0)));
      assertThat(control.headers()).containsOnlyKeys("CC");
      for (Arrival arrival : arrivals) {
        assertThat(arrival.id()).isEqualTo(receipts.get(0).id());
        assertThat(Properties.userHeaders(arrival)).isEqualTo(Properties.userHeaders(control));
        assertThat(arrival.delivery().getEnvelope().getRoutingKey())
            .isEqualTo(control.delivery().getEnvelope().getRoutingKey());
      }
      none.arrivals().awaitNothing();
    }
  }

  @PerStrategy
  default void ccAndBccKeysOfTheDefaultExchangeNameQueues(DelayStrategy strategy) throws Exception {
    try (Targets targets = targets()) {
      Target first = Target.queue(targets, targets.queue(QueueType.CLASSIC));
      Target copy = Target.queue(targets, targets.queue(QueueType.QUORUM));
      Target hidden = Target.queue(targets, targets.queue(QueueType.CLASSIC));
      List<PublishReceipt> receipts =
          setup()
              .publish(
                  DelayedMessage.toQueue(first.queues().get(0))
                      .header("CC", copy.queues())
                      .header("BCC", hidden.queues())
                      .delay(SHORT)
                      .strategy(strategy));

      first.awaitOnce(receipts);
      copy.awaitOnce(receipts);
      hidden.awaitOnce(receipts);
    }
  }

  @PerStrategy
  default void anIsolatedDestinationGetsTheSame(DelayStrategy strategy) throws Exception {
    try (Targets targets = targets()) {
      Target exchange = Target.of(targets, BuiltinExchangeType.TOPIC, "invoice.#");
      Target queue = Target.queue(targets, targets.queue(QueueType.CLASSIC));
      List<PublishReceipt> receipts =
          setup()
              .publish(
                  message(exchange, strategy).route(ContractSetup.ISOLATED_ROUTE),
                  DelayedMessage.toQueue(queue.queues().get(0))
                      .delay(SHORT)
                      .strategy(strategy)
                      .route(ContractSetup.ISOLATED_ROUTE));

      exchange.awaitOnce(receipts.subList(0, 1));
      queue.awaitOnce(receipts.subList(1, 2));
    }
  }
}
