// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.GetResponse;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.AmqpRejectAndDontRequeueException;
import org.springframework.amqp.ImmediateAcknowledgeAmqpException;
import org.springframework.amqp.ImmediateRequeueAmqpException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.RetryInterceptorBuilder;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.retry.RejectAndDontRequeueRecoverer;
import org.springframework.amqp.rabbit.retry.RepublishMessageRecoverer;

/** A failing listener keeps its container's behaviour, and its row says what became of it. */
@Timeout(120)
@Tag("wide")
class FailuresIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.version("4.3");

  private ListenerWorld world;
  private Failing listener;

  @BeforeEach
  void open() throws Exception {
    world = new ListenerWorld(broker::connectionFactory);
    listener = new Failing();
  }

  @AfterEach
  void close() throws Exception {
    world.close();
  }

  /** Throws a number of times, then does its work. */
  static class Failing {
    final AtomicInteger calls = new AtomicInteger();
    final BlockingQueue<Message> done = new LinkedBlockingQueue<>();
    volatile int failures = Integer.MAX_VALUE;
    volatile RuntimeException failure = new IllegalStateException("not today");

    @RabbitListener(queues = "${queue}")
    void handle(Message message) {
      if (calls.incrementAndGet() <= failures) {
        throw failure;
      }
      done.add(message);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void one_that_always_fails_is_dead_lettered_once_and_its_row_has_failed(boolean simple)
      throws Exception {
    if (simple) {
      world.simple(listener, factory -> factory.setDefaultRequeueRejected(false));
    } else {
      world.direct(listener, factory -> factory.setDefaultRequeueRejected(false));
    }
    MessageKey key = world.held("bad");

    world.awaitState(key, MessageState.FAILED);
    world.awaitWaiting(world.queue + ".dead", 1);
    assertThat(world.find(key).reason()).contains("not today");
    assertThat(listener.calls).hasValue(1);
    world.awaitWaiting(world.queue, 0);
  }

  @Test
  void a_stateless_retry_handles_it_once_in_three_calls() throws Exception {
    listener.failures = 2;
    world.simple(
        listener,
        factory ->
            factory.setAdviceChain(
                RetryInterceptorBuilder.stateless()
                    .configureRetryPolicy(
                        policy -> policy.maxRetries(2).delay(Duration.ofMillis(1_000)))
                    .recoverer(new RejectAndDontRequeueRecoverer())
                    .build()));
    MessageKey key = world.held("third time");

    ListenerWorld.next(listener.done); // after longer than a lease
    world.awaitState(key, MessageState.SETTLED);
    assertThat(listener.calls).hasValue(3);
    assertThat(ListenerWorld.next(world.settled)).isEqualTo(key);
    assertThat(world.settled).isEmpty();
    world.awaitWaiting(world.queue, 0);
    world.awaitWaiting(world.queue + ".dead", 0);
  }

  @Test
  void a_stateful_retry_handles_it_once_in_three_deliveries() throws Exception {
    listener.failures = 2;
    world.simple(
        listener,
        factory ->
            factory.setAdviceChain(
                RetryInterceptorBuilder.stateful()
                    .configureRetryPolicy(
                        policy -> policy.maxRetries(2).delay(Duration.ofMillis(100)))
                    .recoverer(new RejectAndDontRequeueRecoverer())
                    .build()));
    MessageKey key = world.held("third time");

    ListenerWorld.next(listener.done);
    world.awaitState(key, MessageState.SETTLED);
    assertThat(listener.calls).hasValue(3);
    assertThat(ListenerWorld.next(world.settled)).isEqualTo(key);
    assertThat(world.settled).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void what_a_recoverer_takes_after_all_attempts_has_failed(boolean stateful) throws Exception {
    RepublishMessageRecoverer recoverer =
        new RepublishMessageRecoverer(new RabbitTemplate(world.springs), "", world.queue + ".dead");
    world.simple(
        listener,
        factory ->
            factory.setAdviceChain(
                stateful
                    ? RetryInterceptorBuilder.stateful()
                        .configureRetryPolicy(
                            policy -> policy.maxRetries(2).delay(Duration.ofMillis(10)))
                        .recoverer(recoverer)
                        .build()
                    : RetryInterceptorBuilder.stateless()
                        .configureRetryPolicy(
                            policy -> policy.maxRetries(2).delay(Duration.ofMillis(10)))
                        .recoverer(recoverer)
                        .build()));
    MessageKey key = world.held("hopeless");

    world.awaitWaiting(world.queue + ".dead", 1);
    world.awaitState(key, MessageState.FAILED);
    world.awaitWaiting(world.queue, 0);
    assertThat(listener.calls).hasValue(3);
    assertThat(world.settled).isEmpty();
    GetResponse republished = world.channel.basicGet(world.queue + ".dead", true);
    assertThat(republished.getProps().getHeaders())
        .doesNotContainKeys("x-delay", "pocketwatch-route", "pocketwatch-generation", "x-death")
        .containsKey("x-exception-message");
  }

  static class Typed {
    @RabbitListener(queues = "${queue}")
    void handle(Map<String, Integer> message) {}
  }

  @Test
  void one_that_cannot_be_converted_is_dead_lettered_and_not_taken_for_a_returned_one()
      throws Exception {
    world.simple(new Typed(), factory -> {}); // with x-death, Spring would discard it
    MessageKey key = world.held("no map");

    world.awaitWaiting(world.queue + ".dead", 1);
    world.awaitState(key, MessageState.FAILED);
  }

  @Test
  void one_that_asks_for_the_dead_letter_queue_goes_there() throws Exception {
    listener.failure = new AmqpRejectAndDontRequeueException("no");
    world.direct(listener, factory -> {});
    MessageKey key = world.held("rejected");

    world.awaitWaiting(world.queue + ".dead", 1);
    world.awaitState(key, MessageState.FAILED);
    assertThat(listener.calls).hasValue(1);
  }

  @Test
  void one_that_asks_to_be_requeued_is_not_failed_and_comes_again() throws Exception {
    listener.failures = 1;
    listener.failure = new ImmediateRequeueAmqpException("later");
    world.simple(listener, factory -> factory.setDefaultRequeueRejected(false));
    MessageKey key = world.held("requeued");

    ListenerWorld.next(listener.done);
    world.awaitState(key, MessageState.SETTLED);
    assertThat(world.find(key).reason()).isNull();
    assertThat(listener.calls).hasValue(2);
  }

  @Test
  void one_that_asks_to_be_acknowledged_all_the_same_is_settled() throws Exception {
    listener.failure = new ImmediateAcknowledgeAmqpException("good enough");
    world.simple(listener, factory -> {});
    MessageKey key = world.held("acknowledged");

    world.awaitState(key, MessageState.SETTLED);
    world.awaitWaiting(world.queue, 0);
    assertThat(listener.calls).hasValue(1);
  }

  @Test
  void the_default_requeue_handles_it_until_it_succeeds() throws Exception {
    listener.failures = 3;
    world.simple(listener, factory -> {});
    MessageKey key = world.held("requeued by default");

    ListenerWorld.next(listener.done);
    world.awaitState(key, MessageState.SETTLED);
    assertThat(listener.calls).hasValue(4);
  }

  @Test
  void the_store_down_makes_it_wait_not_fail_and_handles_it_once() throws Exception {
    listener.failures = 0;
    MessageKey key = world.held("patient");
    world.database.down(true);
    world.simple(
        listener,
        factory ->
            factory.setAdviceChain(
                RetryInterceptorBuilder.stateless()
                    .configureRetryPolicy(policy -> policy.maxRetries(1).delay(Duration.ZERO))
                    .recoverer(new RejectAndDontRequeueRecoverer())
                    .build()));
    world.channel.basicPublish("", world.queue, null, "ahead".getBytes());
    assertThat(ListenerWorld.next(listener.done).getBody()).isEqualTo("ahead".getBytes());
    assertThat(listener.done.poll(2, TimeUnit.SECONDS)).isNull();

    world.database.down(false);

    ListenerWorld.next(listener.done);
    world.awaitState(key, MessageState.SETTLED);
    world.awaitWaiting(world.queue, 0);
    world.awaitWaiting(world.queue + ".dead", 0);
    assertThat(listener.calls).hasValue(2);
  }

  @Test
  void the_store_down_for_longer_than_the_patience_returns_it_past_a_retry() throws Exception {
    try (ListenerWorld hasty =
        new ListenerWorld(
            broker::connectionFactory,
            ListenerWorld.OPTIONS.toBuilder().storePatience(Duration.ofSeconds(1)).build())) {
      listener.failures = 0;
      MessageKey key = hasty.held("patient");
      hasty.database.down(true);
      hasty.simple(
          listener,
          factory -> {
            factory.setDefaultRequeueRejected(false);
            factory.setAdviceChain(
                RetryInterceptorBuilder.stateless()
                    .configureRetryPolicy(policy -> policy.maxRetries(3).delay(Duration.ZERO))
                    .recoverer(new RejectAndDontRequeueRecoverer())
                    .build());
          });
      assertThat(listener.done.poll(4, TimeUnit.SECONDS)).isNull();
      hasty.database.down(false);

      ListenerWorld.next(listener.done);
      hasty.awaitState(key, MessageState.SETTLED);
      hasty.awaitWaiting(hasty.queue + ".dead", 0);
      assertThat(listener.calls).hasValue(1);
    }
  }

  @Test
  void what_is_handled_elsewhere_comes_again_when_that_lease_is_over() throws Exception {
    listener.failures = 0;
    MessageKey key =
        world.held(
            DelayedMessage.to(world.queue + ".fan", "key.of.its.own")
                .body("busy".getBytes())
                .delay(ListenerWorld.SHORT));
    world.elsewhere(key, Duration.ofSeconds(3)); // and dies
    world.direct(listener, factory -> {});

    Message handled = ListenerWorld.next(listener.done);
    assertThat(handled.getMessageProperties().getReceivedExchange())
        .isEqualTo(world.queue + ".fan");
    assertThat(handled.getMessageProperties().getReceivedRoutingKey()).isEqualTo("key.of.its.own");
    world.awaitState(key, MessageState.SETTLED);
    assertThat(listener.calls).hasValue(1);
    world.awaitWaiting(world.queue, 0);
  }
}
