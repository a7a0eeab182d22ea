// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.Headers;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.testkit.Arrival;
import io.pocketwatch.testkit.Arrivals;
import io.pocketwatch.testkit.QueueType;
import io.pocketwatch.testkit.Targets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;

/** What an earlier delay, or a dead-lettering of the application's own, leaves on a message. */
interface SecondLifeContract extends StrategyContract {
  int LIVES = 5;

  @PerStrategy
  default void headersOfAnEarlierLifeAreDropped(DelayStrategy strategy) throws Exception {
    Map<String, Object> death =
        Map.of("queue", "of-an-earlier-life", "reason", "expired", "count", 1L);
    Map<String, Object> headers = new LinkedHashMap<>();
    headers.put(Headers.ID, "of-an-earlier-life");
    headers.put(Headers.DELIVER_AT, 1L);
    headers.put(Headers.EXCHANGE, "of-an-earlier-life");
    headers.put(Headers.PREFIX + "generation", "of-an-earlier-life");
    headers.put("x-death", List.of(death));
    for (String part : List.of("queue", "reason", "exchange")) {
      headers.put("x-first-death-" + part, "of-an-earlier-life");
      headers.put("x-last-death-" + part, "of-an-earlier-life");
    }
    headers.put("tenant", "acme");
    try (Targets targets = targets()) {
      Target target = Target.of(targets, BuiltinExchangeType.DIRECT, KEY);
      DelayedMessage message =
          message(target, strategy)
              .properties(new BasicProperties.Builder().deliveryMode(2).headers(headers).build());
      List<PublishReceipt> receipts = setup().publish(message, message.delay(Duration.ZERO));

      assertThat(target.awaitOnce(receipts))
          .allSatisfy(
              arrival -> {
                assertThat(Properties.userHeaders(arrival)).containsOnlyKeys("tenant");
                assertThat(arrival.headers()).doesNotContainKey(Headers.PREFIX + "generation");
                assertThat(arrival.headers().toString()).doesNotContain("of-an-earlier-life");
              });
    }
  }

  /**
   * Brokers before 4.0.1 believe a sender's x-death, and drop a message that seems to come to a
   * queue for the second time. Here that is the second of two wheel hands, in each life but the
   * first.
   */
  @PerStrategy
  default void aReceivedMessageCanBeDelayedAgainAndAgain(DelayStrategy strategy) throws Exception {
    Duration delay = Duration.ofMillis(strategy == DelayStrategy.TTL_QUEUE ? 200 : 210);
    try (Targets targets = targets()) {
      Target target = Target.of(targets, BuiltinExchangeType.TOPIC, KEY);
      DelayedMessage message = message(target, strategy).header("tenant", "acme").delay(delay);
      List<PublishReceipt> receipts = new ArrayList<>();
      for (int life = 0; life < LIVES; life++) {
        receipts.addAll(setup().publish(message));
        target.awaitOnce(receipts);
        String queue = target.queues().get(life % 2);
        Arrival latest = target.arrivals().from(queue).get(life);
        message = message.properties(latest.properties()).body(latest.body());
      }
      assertThat(receipts).extracting(PublishReceipt::id).doesNotHaveDuplicates();
      assertThat(target.arrivals().all())
          .allSatisfy(
              arrival -> assertThat(Properties.userHeaders(arrival)).containsOnlyKeys("tenant"));
    }
  }

  @PerStrategy
  default void theDeadLetterHeadersOfTheHoldCanBeLeftOutOthersStay(DelayStrategy strategy)
      throws Exception {
    try (Targets targets = targets()) {
      Target dead = Target.of(targets, BuiltinExchangeType.FANOUT, "");
      String exchange = targets.exchange(BuiltinExchangeType.DIRECT);
      List<String> rejecting = new ArrayList<>();
      for (QueueType type : QueueType.values()) {
        String queue =
            targets.queue(
                Targets.name("rejecting"), type, Map.of("x-dead-letter-exchange", dead.exchange()));
        targets.bind(queue, exchange, KEY);
        rejecting.add(queue);
      }
      try (Arrivals rejected = Arrivals.rejecting(targets.connection(), rejecting)) {
        setup().publish(DelayedMessage.to(exchange, KEY).delay(SHORT).strategy(strategy));

        for (Arrival arrival : rejected.awaitExactly(2)) {
          assertThat(withoutDeadLetterHeaders(arrival).keySet())
              .noneMatch(header -> header.contains("death"))
              .contains(Headers.EXCHANGE);
        }
        for (Arrival arrival : dead.arrivals().awaitExactly(4)) {
          requireOnlyForeignDeaths(withoutDeadLetterHeaders(arrival), rejecting);
        }
      }
    }
  }

  private Map<String, Object> withoutDeadLetterHeaders(Arrival arrival) {
    return arrival.delayed().withoutDeadLetterHeaders(setup().namePrefix()).getHeaders();
  }

  private void requireOnlyForeignDeaths(Map<String, Object> headers, List<String> rejecting) {
    assertThat(headers.get("x-death"))
        .asInstanceOf(InstanceOfAssertFactories.LIST)
        .hasSize(1)
        .first()
        .asInstanceOf(InstanceOfAssertFactories.MAP)
        .hasEntrySatisfying("reason", reason -> assertThat(reason).hasToString("rejected"))
        .hasEntrySatisfying("queue", queue -> assertThat(queue.toString()).isIn(rejecting));
    assertThat(String.valueOf(headers.get("x-first-death-queue"))).isIn(rejecting);
    assertThat(headers.get("x-first-death-reason")).hasToString("rejected");
    assertThat(headers.toString()).doesNotContain(setup().namePrefix() + ".").doesNotContain("pw-");
  }
}
