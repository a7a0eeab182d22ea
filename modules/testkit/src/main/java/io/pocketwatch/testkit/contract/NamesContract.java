// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.rabbitmq.client.BuiltinExchangeType;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.testkit.Arrivals;
import io.pocketwatch.testkit.QueueType;
import io.pocketwatch.testkit.Targets;
import java.util.List;
import java.util.Map;

/** Names as AMQP allows them: any characters, up to 255 bytes of UTF-8. */
interface NamesContract extends StrategyContract {
  int LONGEST = 255;

  @PerStrategy
  default void namesMayHoldDotsAndEmptyWords(DelayStrategy strategy) throws Exception {
    requireDelivered(strategy, "..order.events..v1.");
  }

  @PerStrategy
  default void namesMayHoldSpacesAndPunctuation(DelayStrategy strategy) throws Exception {
    requireDelivered(strategy, " a b\t%2F/\\\"'{}[]~h~q* # ");
  }

  @PerStrategy
  default void namesMayHoldLettersOfAnyScript(DelayStrategy strategy) throws Exception {
    requireDelivered(strategy, "Bestellungen für Zürich €, 注文 🕰");
  }

  @PerStrategy
  default void namesMayTakeAll255Bytes(DelayStrategy strategy) throws Exception {
    requireDelivered(strategy, "x".repeat(LONGEST));
  }

  @PerStrategy
  default void namesMayTakeAll255BytesInLettersOfTwoBytes(DelayStrategy strategy) throws Exception {
    requireDelivered(strategy, "é".repeat(LONGEST));
  }

  /** As the name of an exchange, of a queue reached in both ways, and as a routing key. */
  private void requireDelivered(DelayStrategy strategy, String odd) throws Exception {
    String key = shortened(odd, "");
    try (Targets targets = targets()) {
      String exchange = targets.exchange(unique(odd), BuiltinExchangeType.DIRECT);
      String quorum = targets.queue(unique(odd), QueueType.QUORUM, Map.of());
      String classic = targets.queue(unique(odd), QueueType.CLASSIC, Map.of());
      Arrivals arrivals = targets.arrivals(List.of(quorum, classic));
      targets.bind(quorum, exchange, key);
      targets.bind(classic, exchange, key);
      List<PublishReceipt> receipts =
          setup()
              .publish(
                  held(DelayedMessage.to(exchange, key), strategy),
                  held(DelayedMessage.toQueue(quorum), strategy),
                  held(DelayedMessage.toQueue(classic), strategy));

      assertThat(arrivals.awaitExactly(4))
          .extracting(
              arrival -> arrival.queue(),
              arrival -> arrival.id(),
              arrival -> arrival.delayed().exchange(),
              arrival -> arrival.delayed().routingKey())
          .containsExactlyInAnyOrder(
              tuple(quorum, receipts.get(0).id(), exchange, key),
              tuple(classic, receipts.get(0).id(), exchange, key),
              tuple(quorum, receipts.get(1).id(), "", quorum),
              tuple(classic, receipts.get(2).id(), "", classic));
      assertThat(arrivals.all()).noneMatch(arrival -> arrival.lateness().isNegative());
    }
  }

  private static DelayedMessage held(DelayedMessage message, DelayStrategy strategy) {
    return message.delay(SHORT).strategy(strategy);
  }

  private static String unique(String name) {
    return shortened(name, Targets.name(""));
  }

  /** Cut by whole letters until it fits with that end. */
  private static String shortened(String name, String end) {
    String fitting = name;
    while ((fitting + end).getBytes(UTF_8).length > LONGEST) {
      fitting = fitting.substring(0, fitting.length() - 1);
    }
    return fitting + end;
  }
}
