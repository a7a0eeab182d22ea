// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.BuiltinExchangeType;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.UnknownTargetException;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Isolation;
import io.pocketwatch.config.DelayRoutes;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A target that does not exist is an error when a message is scheduled, not when it is due. */
@Execution(ExecutionMode.CONCURRENT) // they mostly wait
class UnknownTargetIT {
  private World world;

  @BeforeEach
  void open() {
    world = World.of(UnknownTargetIT.class);
  }

  @AfterEach
  void close() throws Exception {
    world.close();
  }

  @ParameterizedTest
  @EnumSource(names = {"IMMEDIATE", "TTL_QUEUE", "QUEUE_WHEEL", "TEMPORARY_QUEUE"})
  void an_unknown_exchange_is_named_and_works_once_declared(DelayStrategy strategy)
      throws Exception {
    String name = "unknown.exchange." + strategy;
    world.channel().exchangeDelete(name);
    DelayedPublisher publisher = world.publisher(routes());
    DelayedMessage message = by(strategy, DelayedMessage.to(name, "key"));

    Throwable failure = Futures.failure(publisher.publish(message));
    assertThat(failure)
        .isInstanceOf(UnknownTargetException.class)
        .hasMessageContaining("exchange '" + name + "'");
    assertThat(((UnknownTargetException) failure).target()).isEqualTo("exchange '" + name + "'");

    world.target(name);
    PublishReceipt receipt = Futures.get(publisher.publish(message));
    assertThat(receipt.confirmed()).as("%s", receipt).isTrue();
    assertThat(world.inbox(name).awaitOne().id()).isEqualTo(receipt.id());
  }

  @ParameterizedTest
  @EnumSource(names = {"IMMEDIATE", "TTL_QUEUE", "QUEUE_WHEEL", "TEMPORARY_QUEUE"})
  void an_unknown_queue_is_named_and_works_once_declared(DelayStrategy strategy) throws Exception {
    String name = "unknown.queue." + strategy;
    world.channel().queueDelete(name);
    DelayedPublisher publisher = world.publisher(routes());
    DelayedMessage message = by(strategy, DelayedMessage.toQueue(name));

    assertThat(Futures.failure(publisher.publish(message)))
        .isInstanceOf(UnknownTargetException.class)
        .hasMessageContaining("queue '" + name + "'");

    world.queue(name);
    PublishReceipt receipt = Futures.get(publisher.publish(message));
    assertThat(receipt.confirmed()).as("%s", receipt).isTrue();
    assertThat(world.inbox(name).awaitOne().id()).isEqualTo(receipt.id());
  }

  /** Or it would drop without a word what is due before its queues are bound. */
  @Test
  void an_exchange_that_comes_back_has_a_second_for_its_bindings() throws Exception {
    String name = "unknown.back";
    world.channel().exchangeDelete(name);
    DelayedPublisher publisher = world.publisher(routes());
    DelayedMessage message = by(DelayStrategy.QUEUE_WHEEL, DelayedMessage.to(name, "key"));
    assertThat(Futures.failure(publisher.publish(message)))
        .isInstanceOf(UnknownTargetException.class);

    world.channel().exchangeDeclare(name, BuiltinExchangeType.DIRECT, true);
    Instant back = Instant.now();
    CompletableFuture<PublishReceipt> next = publisher.publish(message);
    world.target(name);

    assertThat(Futures.get(next).confirmed()).isTrue();
    assertThat(Instant.now()).isAfterOrEqualTo(back.plusSeconds(1));
    assertThat(world.inbox(name).awaitOne().id()).isEqualTo(Futures.get(next).id());
  }

  @Test
  void with_an_out_queue_too() throws Exception {
    String name = "unknown.isolated";
    world.channel().exchangeDelete(name);
    DelayedPublisher publisher =
        world.publisher(
            world.routes().toBuilder()
                .route(
                    DelayRoute.builder("isolated")
                        .exchange(name)
                        .isolation(Isolation.DESTINATION)
                        .build())
                .build());
    DelayedMessage message = DelayedMessage.to(name, "key").delay(Duration.ofMillis(30));

    assertThat(Futures.failure(publisher.publish(message)))
        .isInstanceOf(UnknownTargetException.class)
        .hasMessageContaining("exchange '" + name + "'");

    world.target(name);
    PublishReceipt receipt = Futures.get(publisher.publish(message));
    assertThat(receipt.confirmed()).as("%s", receipt).isTrue();
    assertThat(world.inbox(name).awaitOne().id()).isEqualTo(receipt.id());
  }

  /** One caller's mistake must not close the channel under another's messages. */
  @Test
  void others_on_the_same_channel_are_confirmed() throws Exception {
    String good = world.target("unknown.neighbour");
    DelayedPublisher publisher = world.publisher();
    world.channel().exchangeDelete("unknown.none");

    var failing =
        IntStream.range(0, 50)
            .mapToObj(
                i -> {
                  var bad = publisher.publish(DelayedMessage.to("unknown.none", "key"));
                  var fine = publisher.publish(DelayedMessage.to(good, "key"));
                  return bad.handle((r, error) -> error).thenCombine(fine, Pair::new);
                })
            .toList();

    for (Pair pair : Futures.getAll(failing)) {
      assertThat(pair.error).isInstanceOf(UnknownTargetException.class);
      assertThat(pair.receipt.confirmed()).as("%s", pair.receipt).isTrue();
    }
  }

  private DelayRoutes routes() throws Exception {
    world.exchange("unknown.other", BuiltinExchangeType.FANOUT);
    return world.routes().toBuilder()
        .defaults(DelayRoute.defaults().toBuilder().delays(Duration.ofMillis(40)).build())
        .build();
  }

  private static DelayedMessage by(DelayStrategy strategy, DelayedMessage message) {
    return switch (strategy) {
      case IMMEDIATE -> message;
      case TTL_QUEUE -> message.delay(Duration.ofMillis(40)).strategy(strategy);
      default -> message.delay(Duration.ofMillis(70)).strategy(strategy);
    };
  }

  private record Pair(Throwable error, PublishReceipt receipt) {}
}
