// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.BuiltinExchangeType;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.testkit.Arrivals;
import io.pocketwatch.testkit.QueueType;
import io.pocketwatch.testkit.Targets;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Where a message does not arrive. The keys that steer it through our exchanges stay on it, hidden.
 * They take part in the routing of a topic exchange, at the target and wherever a queue there
 * dead-letters to.
 */
interface TopicContract extends StrategyContract {
  /** Written against keys with dots, such as {@code pw.to.orders} or {@code pw.5.m}. */
  List<String> FOREIGN = List.of("*.*.*", "#.orders", "*.to.*", "#.5.#");

  /** Of a delay and a name that would show up in such keys. */
  Duration DELAY = Duration.ofMillis(500);

  @PerStrategy
  default void hiddenKeysMatchNoPatternAtTheTargetNorWhereItsQueuesDeadLetterTo(
      DelayStrategy strategy) throws Exception {
    try (Targets targets = targets()) {
      Patterns atTarget = Patterns.declare(targets);
      Patterns behind = Patterns.declare(targets);
      List<String> rejecting = new ArrayList<>();
      for (QueueType type : QueueType.values()) {
        String queue =
            targets.queue(
                Targets.name("rejecting"), type, Map.of("x-dead-letter-exchange", behind.exchange));
        targets.bind(queue, atTarget.exchange, "#");
        rejecting.add(queue);
      }
      try (Arrivals rejected = Arrivals.rejecting(targets.connection(), rejecting)) {
        PublishReceipt receipt =
            setup()
                .publish(DelayedMessage.to(atTarget.exchange, KEY).delay(DELAY).strategy(strategy))
                .get(0);

        atTarget.requireOnlyAll(receipt, 1);
        assertThat(rejected.awaitExactly(2)).allMatch(arrival -> arrival.id().equals(receipt.id()));
        behind.requireOnlyAll(receipt, 2); // once from each of the two that reject
      }
    }
  }

  /**
   * Documented, not wanted: a binding to a bare {@code *} matches any key of one word, so also a
   * hidden one. A temporary queue needs none, unless the message has CC or BCC keys of its own.
   */
  @PerStrategy
  default void onlyABareStarMatchesAHiddenKeyAndATemporaryQueueHasNone(DelayStrategy strategy)
      throws Exception {
    try (Targets targets = targets()) {
      Target target = Target.of(targets, BuiltinExchangeType.TOPIC, KEY);
      Target star = Target.behind(targets, target.exchange(), "*", Map.of());
      deliver(target, message(target, strategy));

      star.arrivals().awaitExactly(strategy == DelayStrategy.TEMPORARY_QUEUE ? 0 : 2);
    }
  }

  /** A topic exchange with a queue of each type behind every pattern. */
  record Patterns(String exchange, Map<String, Arrivals> arrivals) {
    static final String ALL = "#";

    static Patterns declare(Targets targets) throws IOException {
      String exchange =
          targets.exchange(Targets.name("shop") + ".to.5.orders", BuiltinExchangeType.TOPIC);
      Map<String, Arrivals> arrivals = new LinkedHashMap<>();
      List<String> patterns = new ArrayList<>(FOREIGN);
      patterns.add(ALL);
      for (String pattern : patterns) {
        arrivals.put(pattern, Target.behind(targets, exchange, pattern, Map.of()).arrivals());
      }
      return new Patterns(exchange, arrivals);
    }

    /** Each queue that takes everything has so many copies, the others nothing. */
    void requireOnlyAll(PublishReceipt receipt, int copies) {
      int queues = QueueType.values().length;
      Arrivals all = Objects.requireNonNull(arrivals.get(ALL));
      assertThat(all.awaitExactly(copies * queues))
          .allMatch(arrival -> arrival.id().equals(receipt.id()))
          .allMatch(arrival -> arrival.delayed().routingKey().equals(KEY));
      arrivals.forEach(
          (pattern, received) ->
              assertThat(received.all())
                  .as("bound with %s", pattern)
                  .hasSize(pattern.equals(ALL) ? copies * queues : 0));
    }
  }
}
