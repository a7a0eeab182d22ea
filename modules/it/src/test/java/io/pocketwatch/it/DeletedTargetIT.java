// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static io.pocketwatch.PublishOutcome.CONFIRMED;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedDelivery;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoute;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An exchange or queue deleted while messages for it are held: parked, all of them, unchanged. */
@Execution(ExecutionMode.CONCURRENT) // they mostly wait
class DeletedTargetIT {
  @ParameterizedTest
  @CsvSource({"TTL_QUEUE, 4, 150", "QUEUE_WHEEL, 4, 150", "TEMPORARY_QUEUE, 8, 30"})
  void everything_held_is_parked(DelayStrategy strategy, int seconds, int messages)
      throws Exception {
    parks("4.3", strategy, seconds, messages);
  }

  @Tag("wide")
  @ParameterizedTest
  @CsvSource({"TTL_QUEUE, 4, 150", "QUEUE_WHEEL, 4, 150", "TEMPORARY_QUEUE, 8, 30"})
  void so_it_is_by_the_oldest_broker(DelayStrategy strategy, int seconds, int messages)
      throws Exception {
    parks("3.10", strategy, seconds, messages);
  }

  /**
   * Two of three to an exchange, the others to a queue. A queue for each takes a broker its time.
   */
  private static void parks(String version, DelayStrategy strategy, int seconds, int messages)
      throws Exception {
    try (World world = new World(SharedNodes.of(version), "deleted-" + strategy)) {
      Duration delay = Duration.ofSeconds(seconds);
      String exchange = world.target("deleted.exchange." + strategy);
      String queue = world.queue("deleted.queue." + strategy);
      DelayedPublisher publisher =
          world.publisher(
              world.routes().toBuilder()
                  .defaults(DelayRoute.defaults().toBuilder().delays(delay).build())
                  .build());
      world.channel().queuePurge(world.ours("unroutable"));

      List<PublishReceipt> receipts =
          Futures.all(
              messages,
              i ->
                  publisher.publish(
                      message(i % 3 < 2 ? exchange : "", i % 3 < 2 ? "key" : queue)
                          .id(strategy + "-" + i + "-" + version)
                          .delay(delay)
                          .strategy(strategy)));
      assertThat(Futures.outcomes(receipts)).as("%s", receipts.get(0)).containsOnly(CONFIRMED);
      world.channel().exchangeDelete(exchange);
      world.channel().queueDelete(queue);
      Instant firstDue = receipts.get(0).deliverAt();
      assertThat(Instant.now()).as("deleted while all are held").isBefore(firstDue);

      Inbox parked = world.inbox(world.ours("unroutable"));
      List<Inbox.Arrival> arrivals = parked.await(receipts.size(), delay.plusSeconds(20));

      List<String> ids = new ArrayList<>(parked.ids());
      assertThat(ids)
          .containsExactlyInAnyOrderElementsOf(receipts.stream().map(PublishReceipt::id).toList());
      assertThat(arrivals).allSatisfy(arrival -> assertUnchanged(arrival, exchange, queue));
    }
  }

  private static DelayedMessage message(String exchange, String routingKey) {
    return DelayedMessage.to(exchange, routingKey)
        .body("body of " + routingKey)
        .properties(
            new BasicProperties.Builder()
                .contentType("text/plain")
                .deliveryMode(2)
                .headers(Map.of("customer", 4711L, "nested", Map.of("deep", List.of("a", "b"))))
                .build());
  }

  private static void assertUnchanged(Inbox.Arrival arrival, String exchange, String queue) {
    Map<String, Object> headers = Objects.requireNonNull(arrival.properties().getHeaders());
    String addressed = DelayedDelivery.of(arrival.delivery()).orElseThrow().exchange();
    boolean toQueue = addressed.isEmpty();
    String key = toQueue ? queue : "key";
    assertThat(arrival.envelope().getRoutingKey()).isEqualTo(key);
    assertThat(addressed).isEqualTo(toQueue ? "" : exchange);
    assertThat(new String(arrival.delivery().getBody())).isEqualTo("body of " + key);
    assertThat(arrival.properties().getContentType()).isEqualTo("text/plain");
    assertThat(headers).containsEntry("customer", 4711L).doesNotContainKey("BCC");
    assertThat(headers.get("nested")).hasToString("{deep=[a, b]}");
    assertThat(arrival.lateness()).isGreaterThanOrEqualTo(Duration.ZERO);
  }
}
