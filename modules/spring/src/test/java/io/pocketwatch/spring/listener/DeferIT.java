// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.guard.GuardedChannel;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.messaging.handler.annotation.Header;

/** Listeners that put a message off, and routes that have a failed one tried again. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT) // they mostly wait
class DeferIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.version("4.3");

  private static final Duration PAUSE = Duration.ofSeconds(2);
  private static final Duration TOLERANCE = ListenerWorld.OPTIONS.earlyTolerance();

  private final BlockingQueue<Call> calls = new LinkedBlockingQueue<>();
  private ListenerWorld world;

  /** One call of a listener. */
  private record Call(Instant at, int attempt, String body) {
    static Call now(@Nullable Integer attempts, Message message) {
      return new Call(
          Instant.now(), attempts == null ? 1 : attempts + 1, new String(message.getBody()));
    }
  }

  @BeforeEach
  void open() throws Exception {
    world = new ListenerWorld(broker::connectionFactory);
  }

  @AfterEach
  void close() throws Exception {
    world.close();
  }

  private final class Throwing {
    @RabbitListener(queues = "${queue}")
    void handle(
        Message message,
        @Header(name = DeliveryHeaders.ATTEMPTS, required = false) Integer attempts) {
      calls.add(Call.now(attempts, message));
      if (attempts == null) {
        throw Defer.by(PAUSE);
      }
    }
  }

  /** A retry around it would call it twice more, a recoverer would take the message. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void what_a_listener_throws_defers_the_message_and_is_no_failure(boolean simple)
      throws Exception {
    if (simple) {
      world.simple(
          new Throwing(), factory -> factory.setAdviceChain(ListenerWorld.threeAttempts()));
    } else {
      world.direct(new Throwing(), factory -> factory.setDefaultRequeueRejected(false));
    }
    MessageKey key = world.held("later");

    assertComesAgain();
    world.awaitState(key, MessageState.SETTLED);
    assertThat(calls).isEmpty();
    world.awaitWaiting(world.queue, 0);
    world.awaitWaiting(world.queue + ".dead", 0);
  }

  private final class Acknowledging {
    @RabbitListener(queues = "${queue}", ackMode = "MANUAL")
    void handle(
        Message message,
        Channel channel,
        @Header(name = DeliveryHeaders.ATTEMPTS, required = false) Integer attempts)
        throws Exception {
      calls.add(Call.now(attempts, message));
      long tag = message.getMessageProperties().getDeliveryTag();
      if (attempts == null) {
        GuardedChannel guarded = (GuardedChannel) channel;
        guarded.delivery(tag).orElseThrow().defer(PAUSE);
        assertThat(guarded.delivery(tag)).as("it is answered").isEmpty();
      } else if (attempts == 1) {
        throw Defer.until(Instant.now().plusMillis(100));
      } else {
        channel.basicAck(tag, false);
      }
    }
  }

  @Test
  void a_listener_that_acknowledges_defers_by_a_call_or_by_throwing() throws Exception {
    world.simple(new Acknowledging(), factory -> {});
    MessageKey key = world.held("later");

    assertComesAgain();
    assertThat(ListenerWorld.next(calls).attempt()).isEqualTo(3);
    world.awaitState(key, MessageState.SETTLED);
  }

  private final class Untracked {
    @RabbitListener(queues = "${queue}.untracked")
    void handle(
        Message message,
        @Header(name = DeliveryHeaders.ATTEMPTS, required = false) Integer attempts) {
      calls.add(Call.now(attempts, message));
      assertThat(message.getMessageProperties().getReceivedRoutingKey())
          .isEqualTo(world.queue + ".untracked");
      assertThat(message.getMessageProperties().getXDeathHeader()).isNull();
      if (attempts == null) {
        throw Defer.by(PAUSE);
      }
    }
  }

  @Test
  void an_application_without_a_store_defers_what_was_never_delayed() throws Exception {
    String queue = world.queue + ".untracked";
    world.declare(queue, Map.of());
    world.start(new Untracked(), new SimpleRabbitListenerContainerFactory(), null);

    world.channel.basicPublish("", queue, null, "later".getBytes());

    assertComesAgain();
    world.awaitWaiting(queue, 0);
  }

  private final class Failing {
    @RabbitListener(queues = "${queue}.ladder")
    void handle(
        Message message,
        @Header(name = DeliveryHeaders.ATTEMPTS, required = false) Integer attempts) {
      calls.add(Call.now(attempts, message));
      throw new IllegalStateException("not today");
    }
  }

  @Test
  void what_fails_is_tried_again_as_its_route_says_and_then_rejected() throws Exception {
    String queue = world.queue + ".ladder";
    world.declare(queue, Map.of());
    world.declare(queue + ".dead", Map.of());
    world.simple(new Failing(), factory -> factory.setDefaultRequeueRejected(false));
    MessageKey key = world.held(DelayedMessage.toQueue(queue).delay(Duration.ofMillis(300)));

    for (int attempt = 1; attempt <= 3; attempt++) {
      assertThat(ListenerWorld.next(calls).attempt()).isEqualTo(attempt);
    }
    world.awaitState(key, MessageState.FAILED);
    assertThat(world.find(key).reason()).endsWith("not today");
    world.awaitWaiting(queue + ".dead", 1);
    assertThat(calls).isEmpty();
  }

  private final class FailingLater {
    @RabbitListener(queues = "${queue}.ladder")
    CompletableFuture<Void> handle(
        Message message,
        @Header(name = DeliveryHeaders.ATTEMPTS, required = false) Integer attempts) {
      calls.add(Call.now(attempts, message));
      return CompletableFuture.failedFuture(new IllegalStateException("not today"));
    }
  }

  /** Spring's adapter gives back what fails, at once and for ever. */
  @Test
  void so_is_what_fails_in_a_future_of_its_listener() throws Exception {
    String queue = world.queue + ".ladder";
    world.declare(queue, Map.of());
    world.declare(queue + ".dead", Map.of());
    world.simple(new FailingLater(), factory -> {});
    MessageKey key = world.held(DelayedMessage.toQueue(queue).delay(Duration.ofMillis(300)));

    for (int attempt = 1; attempt <= 3; attempt++) {
      assertThat(ListenerWorld.next(calls).attempt()).isEqualTo(attempt);
    }
    world.awaitState(key, MessageState.FAILED);
    world.awaitWaiting(queue + ".dead", 1);
    assertThat(calls).isEmpty();
  }

  private void assertComesAgain() throws Exception {
    Call first = ListenerWorld.next(calls);
    Call second = ListenerWorld.next(calls);
    assertThat(first.attempt()).isEqualTo(1);
    assertThat(second.attempt()).isEqualTo(2);
    assertThat(second.body()).isEqualTo(first.body());
    assertThat(second.at()).isAfterOrEqualTo(first.at().plus(PAUSE).minus(TOLERANCE));
  }
}
