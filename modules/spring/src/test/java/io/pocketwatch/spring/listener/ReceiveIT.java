// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pocketwatch.spring.DelayedRabbitTemplate;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.AmqpIllegalStateException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.ReceiveAndReplyMessageCallback;
import org.springframework.amqp.rabbit.support.ConsumerCancelledException;
import org.springframework.amqp.rabbit.transaction.RabbitTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What a template receives by itself, where listeners have a guard. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT) // they mostly wait
class ReceiveIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.version("4.3");

  private ListenerWorld world;
  private DelayedRabbitTemplate template;

  @BeforeEach
  void open() throws Exception {
    world = new ListenerWorld(broker::connectionFactory);
    template = new DelayedRabbitTemplate(world.springs, world.publisher);
    template.setGuard(() -> world.guard);
  }

  @AfterEach
  void close() throws Exception {
    world.springs.destroy();
    world.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_tracked_message_goes_back_and_the_call_says_what_to_do(boolean transacted)
      throws Exception {
    template.setChannelTransacted(transacted);
    MessageKey key = world.held("work");
    ReceiveAndReplyMessageCallback answer = question -> new Message("answer".getBytes());

    refused(key, () -> template.receive(world.queue, 20_000));
    world.awaitWaiting(world.queue, 1);
    refused(key, () -> template.receive(world.queue));
    world.awaitWaiting(world.queue, 1);
    refused(key, () -> template.receiveAndConvert(world.queue, -1));
    world.awaitWaiting(world.queue, 1);
    refused(key, () -> template.receiveAndReply(world.queue, answer, "", world.queue + ".dead"));
    world.awaitWaiting(world.queue, 1);

    assertThat(world.find(key).state()).isIn(MessageState.PENDING, MessageState.HELD);
    assertThat(world.channel.messageCount(world.queue + ".dead")).isZero();
  }

  private void refused(MessageKey key, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(AmqpIllegalStateException.class)
        .hasMessageContainingAll(
            key.toString(), "it is back in '" + world.queue + "'", "prefetch of 1", "handoff");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void any_other_message_is_taken_as_ever(boolean transacted) throws Exception {
    template.setChannelTransacted(transacted);
    template.convertAndSend("", world.queue, "undelayed");
    world.awaitWaiting(world.queue, 1); // another channel's may overtake it
    world.channel.basicPublish(
        "",
        world.queue,
        Copies.untracked("delayed", Instant.EPOCH, Map.of()),
        "delayed".getBytes());
    ReceiveAndReplyMessageCallback answer =
        question -> new Message("answer".getBytes(), question.getMessageProperties());

    assertThat(template.receive(world.queue, 20_000).getBody()).asString().isEqualTo("undelayed");
    assertThat(template.receiveAndReply(world.queue, answer, "", world.queue + ".dead")).isTrue();

    world.awaitWaiting(world.queue + ".dead", 1);
    world.awaitWaiting(world.queue, 0);
    assertThat(template.receive(world.queue)).isNull();
    assertThat(template.receive(world.queue, 100)).isNull();
    world.awaitWaiting(world.queue, 0);
  }

  /** Acknowledgement and reply are one transaction, as without a guard. */
  @ParameterizedTest
  @ValueSource(longs = {0, 20_000})
  void a_request_whose_handler_fails_in_a_transaction_is_not_acknowledged(long patience)
      throws Exception {
    template.setChannelTransacted(true);
    template.setReceiveTimeout(patience);
    template.convertAndSend("", world.queue, "request");
    world.awaitWaiting(world.queue, 1);
    ReceiveAndReplyMessageCallback failing =
        question -> {
          throw new IllegalStateException("no answer");
        };

    assertThatThrownBy(
            () -> template.receiveAndReply(world.queue, failing, "", world.queue + ".dead"))
        .hasRootCauseMessage("no answer");

    world.springs.resetConnection(); // what was not acknowledged goes back
    world.awaitWaiting(world.queue, 1);
  }

  @Test
  void it_is_told_what_is_left_and_that_the_queue_is_gone() throws Exception {
    template.convertAndSend("", world.queue, "one");
    template.convertAndSend("", world.queue, "two");
    world.awaitWaiting(world.queue, 2);
    assertThat(template.receive(world.queue).getMessageProperties().getMessageCount()).isOne();
    assertThat(template.receive(world.queue)).isNotNull();

    CompletableFuture<Object> waiting =
        CompletableFuture.supplyAsync(() -> template.receive(world.queue, 20_000));
    await().until(() -> world.channel.consumerCount(world.queue) == 1);
    world.channel.queueDelete(world.queue);
    assertThatThrownBy(waiting::join).hasCauseInstanceOf(ConsumerCancelledException.class);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_tracked_message_goes_back_with_a_transaction_that_it_is_received_in(boolean commits)
      throws Exception {
    template.setChannelTransacted(true);
    MessageKey key = world.held("work");
    world.awaitWaiting(world.queue, 1);

    new TransactionTemplate(new RabbitTransactionManager(world.springs))
        .executeWithoutResult(
            status -> {
              refused(key, () -> template.receive(world.queue));
              if (!commits) {
                status.setRollbackOnly();
              }
            });

    world.awaitWaiting(world.queue, 1);
  }
}
