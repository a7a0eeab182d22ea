// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Delays made by hand of TTLs and dead-letter exchanges are drained while the routes of {@code
 * guides/from-ttl-queues.md} take over. Its Java is the Java here.
 */
class FromTtlQueuesIT {
  private static final Path PAGE = Path.of("..", "docs", "guides", "from-ttl-queues.md");
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration LONG = Duration.ofSeconds(3);
  private static final Duration SHORT = Duration.ofSeconds(2);
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

  /** The handler's clock is read before its pause begins, and rounded. */
  private static final Duration TOLERANCE = Duration.ofMillis(50);

  private final Queue<Map.Entry<String, Instant>> sent = new ConcurrentLinkedQueue<>();
  private World world;
  private Channel channel;
  private DelayedPublisher pocketwatch;

  @BeforeEach
  void open() throws Exception {
    world = World.of(FromTtlQueuesIT.class);
    channel = world.channel();
    world.exchange("shop", BuiltinExchangeType.TOPIC);
    world.queue("order-timeouts");
    channel.queueBind("order-timeouts", "shop", "order.timeout");
    world.queue("emails");
    DelayRoutes page = DelayRoutes.parse(yaml(), "from-ttl-queues.md");
    pocketwatch = world.publisher(page.toBuilder().hold(world.routes().hold()).build());
  }

  @AfterEach
  void close() throws Exception {
    world.close();
  }

  @Test
  void queues_of_delays_are_drained_while_the_route_takes_over() throws Exception {
    world.queue("shop.wait", toTimeouts(Map.of()));
    world.queue("shop.wait.2s", toTimeouts(Map.of("x-message-ttl", SHORT.toMillis())));
    Inbox inbox = world.inbox("order-timeouts");

    Instant before = Instant.now();
    byExpiration(String.valueOf(LONG.toMillis()), bytes("by expiration"));
    channel.basicPublish("", "shop.wait.2s", null, bytes("by a queue of 2 s"));
    PublishReceipt listed = byRoute(bytes("of 30 min"), Duration.ofMinutes(30)).join();
    PublishReceipt other = byRoute(bytes("by the route"), SHORT).join();

    assertThat(listed.strategy()).isEqualTo(DelayStrategy.TTL_QUEUE);
    assertThat(other.strategy()).isEqualTo(DelayStrategy.QUEUE_WHEEL);
    Map<String, Instant> arrived = arrived(inbox.await(3, PATIENCE));
    assertThat(arrived)
        .containsOnlyKeys("by expiration", "by a queue of 2 s", "by the route")
        .allSatisfy((body, at) -> assertThat(at).isAfterOrEqualTo(before.plus(SHORT)));
    assertThat(arrived.get("by expiration")).isAfterOrEqualTo(before.plus(LONG));
    assertThat(arrived.get("by the route")).isAfterOrEqualTo(other.deliverAt());
    for (String drained : List.of("shop.wait", "shop.wait.2s")) {
      assertThat(channel.queueDelete(drained, false, true).getMessageCount()).isZero();
    }
    byRoute(bytes("afterwards"), Duration.ofMillis(100)).join();
    assertThat(arrived(inbox.await(4, PATIENCE))).containsKey("afterwards");
  }

  @Test
  void a_ladder_of_retries_is_drained_while_the_guard_takes_over() throws Exception {
    world.queue(
        "emails.retry.1s",
        Map.of(
            "x-message-ttl", FIRST_PAUSE.toMillis(),
            "x-dead-letter-exchange", "",
            "x-dead-letter-routing-key", "emails"));
    channel.basicPublish("", "emails.retry.1s", null, bytes("from the ladder"));
    try (DeliveryGuard guard = DeliveryGuard.of(pocketwatch, GuardOptions.defaults())) {
      readBy(guard);
      channel.basicPublish("", "emails", null, bytes("new"));

      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> tries("new").size() > 1 && tries("from the ladder").size() > 1);
    }
    for (String each : List.of("new", "from the ladder")) {
      List<Instant> tries = tries(each);
      assertThat(Duration.between(tries.get(0), tries.get(1)))
          .isBetween(FIRST_PAUSE.minus(TOLERANCE), FIRST_PAUSE.plus(PATIENCE));
    }
    assertThat(channel.queueDelete("emails.retry.1s", false, true).getMessageCount()).isZero();
  }

  private void byExpiration(String millis, byte[] order) throws IOException {
    channel.basicPublish(
        "", "shop.wait", new BasicProperties.Builder().expiration(millis).build(), order);
  }

  private CompletableFuture<PublishReceipt> byRoute(byte[] order, Duration delay) {
    return pocketwatch.publish(DelayedMessage.to("shop", "order.timeout").body(order).delay(delay));
  }

  private void readBy(DeliveryGuard guard) throws IOException {
    guard.consume(channel, "emails", delivery -> send(delivery.body()));
  }

  private void send(byte[] email) {
    sent.add(Map.entry(new String(email, StandardCharsets.UTF_8), Instant.now()));
    throw new IllegalStateException("no mail server");
  }

  private List<Instant> tries(String email) {
    return sent.stream()
        .filter(one -> one.getKey().equals(email))
        .map(Map.Entry::getValue)
        .toList();
  }

  private static Map<String, Object> toTimeouts(Map<String, Object> arguments) {
    Map<String, Object> all = new HashMap<>(arguments);
    all.put("x-dead-letter-exchange", "shop");
    all.put("x-dead-letter-routing-key", "order.timeout");
    return all;
  }

  private static Map<String, Instant> arrived(List<Inbox.Arrival> arrivals) {
    return arrivals.stream()
        .collect(
            Collectors.toMap(
                one -> new String(one.delivery().getBody(), StandardCharsets.UTF_8),
                Inbox.Arrival::at));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String yaml() throws IOException {
    Matcher yaml = Pattern.compile("(?ms)^```yaml\n(.*?)^```").matcher(Files.readString(PAGE));
    assertThat(yaml.find()).isTrue();
    return yaml.group(1);
  }
}
