// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.UserExpiration;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What can never be sent is refused before it closes the channel under somebody else's message. */
class InvalidMessagesIT {
  private static final DelayedMessage NOW = DelayedMessage.to("invalid", "key");
  private static final DelayedMessage HELD = NOW.delay(Duration.ofMillis(50));

  private static World world;
  private static DelayedPublisher publisher;

  @BeforeAll
  static void open() throws Exception {
    world = World.of(InvalidMessagesIT.class);
    world.target("invalid");
    publisher =
        world.publisher(
            world.routes().toBuilder()
                .route(
                    DelayRoute.builder("drop")
                        .exchange("invalid")
                        .routingKey("dropped")
                        .userExpiration(UserExpiration.DROP)
                        .build())
                .defaults(DelayRoute.defaults().toBuilder().delays(Duration.ofSeconds(1)).build())
                .publisher(
                    world.routes().publisher().toBuilder().channels(1).maxBodySize(1_000).build())
                .build());
    world.channel().queueBind("invalid", "invalid", "dropped");
  }

  @AfterAll
  static void close() throws Exception {
    world.close();
  }

  static Stream<Arguments> invalid() {
    String long256 = "k".repeat(256);
    return Stream.of(
        arguments("CC is a string", HELD.header("CC", "key"), "CC must be an array of strings"),
        arguments("CC is null", HELD.header("CC", null), "CC must be an array of strings"),
        arguments("BCC is null", NOW.header("BCC", null), "BCC must be an array of strings"),
        arguments("BCC is a table", HELD.header("BCC", Map.of("a", "b")), "BCC must be an array"),
        arguments("CC holds a number", HELD.header("CC", List.of("a", 5)), "not Integer"),
        arguments("CC holds null", HELD.header("CC", Arrays.asList("a", null)), "strings only"),
        arguments("CC holds bytes", NOW.header("CC", List.of(new byte[1])), "strings only"),
        arguments("a CC key is reserved", HELD.header("CC", List.of("pw-x")), "pw-"),
        arguments("a CC key is long", HELD.header("CC", List.of(long256)), "256 bytes long"),
        arguments(
            "the routing key is reserved",
            DelayedMessage.to("invalid", "pw-to-x").delay(Duration.ofSeconds(1)),
            "begins with pw-, which is reserved"),
        arguments("the routing key is long", DelayedMessage.to("invalid", long256), "allowed: 255"),
        arguments(
            "the routing key is long in UTF-8",
            DelayedMessage.to("invalid", "é".repeat(128)),
            "256 bytes long; allowed: 255"),
        arguments("the exchange name is long", DelayedMessage.to(long256, "k"), "exchange name"),
        arguments("headers over a frame", HELD.header("big", "x".repeat(200_000)), "frame size"),
        arguments("headers over a frame, now", NOW.header("big", new byte[140_000]), "frame size"),
        arguments("a header is an Instant", HELD.header("at", Instant.now()), "encoded as AMQP"),
        arguments(
            "a nested header is an Object",
            NOW.header("deep", Map.of("list", List.of(new Object()))),
            "encoded as AMQP"),
        arguments("a header's name is long", HELD.header(long256, 1), "encoded as AMQP"),
        arguments("a property is long", with(b -> b.contentType(long256)), "encoded as AMQP"),
        arguments("the user-id is foreign", with(b -> b.userId("someone")), "user-id is 'someone'"),
        arguments("the body is large", HELD.body(new byte[1_001]), "allowed: 1000"),
        arguments("an expiration, held", with(b -> b.expiration("5000")), "user-expiration: drop"),
        arguments("an expiration that is none", now(b -> b.expiration("soon")), "expiration"),
        arguments("a negative expiration", now(b -> b.expiration("-1")), "expiration"),
        arguments(
            "an expiration beyond ten years", now(b -> b.expiration("315360000001")), "expiration"),
        arguments("an unknown route", HELD.route("none"), "there is no route 'none'"),
        arguments(
            "a delay over the wheel", NOW.delay(Duration.ofSeconds(91)), "the wheel up to 90s"),
        arguments(
            "a delay over ten years",
            NOW.delay(Duration.ofDays(3_650)).strategy(DelayStrategy.TEMPORARY_QUEUE),
            "the longest is 3649d"),
        arguments(
            "a delay that is not configured",
            NOW.delay(Duration.ofSeconds(3)).strategy(DelayStrategy.TTL_QUEUE),
            "its delay is none of route defaults's"),
        arguments(
            "a delay beyond any calendar",
            NOW.delay(Duration.ofSeconds(Long.MAX_VALUE)),
            "beyond any calendar"),
        arguments("the id is long", HELD.id("i".repeat(201)), "201 bytes long; allowed: 1 to 200"),
        arguments("the id is empty", HELD.id(""), "0 bytes long"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("invalid")
  void is_refused_with_its_limit_and_the_neighbours_are_confirmed(
      String name, DelayedMessage bad, String problem) {
    CompletableFuture<PublishReceipt> before = publisher.publish(HELD);
    CompletableFuture<PublishReceipt> refused = publisher.publish(bad);
    CompletableFuture<PublishReceipt> after = publisher.publish(HELD);

    assertThat(Futures.failure(refused))
        .isInstanceOf(InvalidMessageException.class)
        .hasMessageContaining(problem);
    for (PublishReceipt neighbour : Futures.getAll(List.of(before, after))) {
      assertThat(neighbour.confirmed()).as("%s", neighbour).isTrue();
    }
  }

  /**
   * Dead-letter headers included: a consumer's client closes on a larger frame, again and again.
   */
  @ParameterizedTest
  @EnumSource(names = {"IMMEDIATE", "TTL_QUEUE", "QUEUE_WHEEL", "TEMPORARY_QUEUE"})
  void the_largest_allowed_headers_reach_a_consumer(DelayStrategy strategy) throws Exception {
    String target = world.target("invalid.frame." + strategy);
    Inbox inbox = world.inbox(target);
    // Now the destination is known, and no second plan is made after asking for it.
    DelayedMessage first = DelayedMessage.to(target, "key").strategy(strategy);
    assertThat(
            Futures.get(
                    publisher.publish(
                        strategy == DelayStrategy.IMMEDIATE
                            ? first
                            : first.delay(Duration.ofSeconds(1))))
                .confirmed())
        .isTrue();
    inbox.awaitOne();
    DelayedMessage to =
        DelayedMessage.to(target, "key")
            .header("CC", List.of("a longer key of its own".repeat(10)))
            .strategy(strategy);
    // On the wheel three hops, or two where the machine takes long before it plans.
    DelayedMessage message =
        switch (strategy) {
          case IMMEDIATE -> to;
          case QUEUE_WHEEL -> to.delay(Duration.ofMillis(1_560));
          default -> to.delay(Duration.ofMillis(1_000));
        };
    Throwable refused =
        Futures.failure(publisher.publish(message.header("fill", "x".repeat(200_000))));
    Matcher sizes =
        Pattern.compile("take (\\d+) bytes; allowed: (\\d+)").matcher(refused.getMessage());
    assertThat(sizes.find()).isTrue();
    int excess = Integer.parseInt(sizes.group(1)) - Integer.parseInt(sizes.group(2));
    // A wheel's path differs with the instant: some bytes of its header, and a hop of 453 bytes.
    int margin = strategy == DelayStrategy.QUEUE_WHEEL ? 600 : 0;
    int fits = 200_000 - excess - margin;
    String over = "x".repeat(fits + 1 + 2 * margin);

    assertThat(Futures.failure(publisher.publish(message.header("fill", over))))
        .isInstanceOf(InvalidMessageException.class);
    PublishReceipt receipt =
        Futures.get(publisher.publish(message.header("fill", "x".repeat(fits))));
    assertThat(receipt.confirmed()).as("%s", receipt).isTrue();
    assertThat(receipt.strategy()).isEqualTo(strategy);
    assertThat(inbox.await(2, Duration.ofMinutes(1)).get(1).id()).isEqualTo(receipt.id());
  }

  @Test
  void a_routing_key_may_be_255_bytes_and_an_id_200() throws Exception {
    String key = "k".repeat(255);
    world.target("invalid.longest");
    world.channel().queueBind("invalid.longest", "invalid.longest", key);
    String id = "é".repeat(100);
    for (DelayStrategy strategy :
        List.of(DelayStrategy.QUEUE_WHEEL, DelayStrategy.TEMPORARY_QUEUE)) {
      PublishReceipt receipt =
          Futures.get(
              publisher.publish(
                  DelayedMessage.to("invalid.longest", key)
                      .id(id)
                      .delay(Duration.ofMillis(50))
                      .strategy(strategy)));
      assertThat(receipt.confirmed()).as("%s", receipt).isTrue();
    }
    assertThat(world.inbox("invalid.longest").await(2, Duration.ofSeconds(10)))
        .allSatisfy(arrival -> assertThat(arrival.id()).isEqualTo(id))
        .allSatisfy(arrival -> assertThat(arrival.envelope().getRoutingKey()).isEqualTo(key));
  }

  @Test
  void an_expiration_is_dropped_where_the_route_says_so_and_kept_on_an_immediate_message()
      throws Exception {
    world.channel().queueBind(world.queue("invalid.expiring"), "invalid", "dropped");
    BasicProperties expiring = new BasicProperties.Builder().expiration("60000").build();
    DelayedMessage message = DelayedMessage.to("invalid", "dropped").properties(expiring);
    Inbox inbox = world.inbox("invalid.expiring");

    assertThat(Futures.get(publisher.publish(message)).confirmed()).isTrue();
    assertThat(inbox.awaitOne().properties().getExpiration()).isEqualTo("60000");
    DelayedMessage held =
        message.delay(Duration.ofSeconds(1)); // due while it is planned: immediate
    assertThat(Futures.get(publisher.publish(held)).confirmed()).isTrue();
    assertThat(inbox.await(2, Duration.ofSeconds(10)).get(1).properties().getExpiration()).isNull();
  }

  private static DelayedMessage with(UnaryOperator<BasicProperties.Builder> change) {
    return HELD.properties(change.apply(new BasicProperties.Builder()).build());
  }

  private static DelayedMessage now(UnaryOperator<BasicProperties.Builder> change) {
    return NOW.properties(change.apply(new BasicProperties.Builder()).build());
  }
}
