// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.spring.DelayedRabbitTemplate;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.ReceiveAndReplyMessageCallback;
import org.springframework.amqp.rabbit.transaction.RabbitTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A template that receives by itself is guarded, too. */
@Timeout(120)
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

  @Test
  void what_is_taken_is_settled() throws Exception {
    MessageKey one = world.held("one");
    Message taken = template.receive(world.queue, 20_000);
    assertThat(taken.getBody()).asString().isEqualTo("one");
    assertThat(world.find(one).state()).isEqualTo(MessageState.SETTLED);

    MessageKey two = world.held("two");
    world.awaitWaiting(world.queue, 1);
    assertThat(template.receive(world.queue)).isNotNull();
    assertThat(world.find(two).state()).isEqualTo(MessageState.SETTLED);
    assertThat(template.receive(world.queue)).isNull();
    assertThat(template.receive(world.queue, 100)).isNull();
    world.awaitWaiting(world.queue, 0);
  }

  @Test
  void what_is_settled_already_is_passed_over_and_what_was_not_delayed_is_taken() throws Exception {
    MessageKey key = world.held("once");
    world.awaitWaiting(world.queue, 1);
    world.copy(world.queue, key);
    world.channel.basicPublish("", world.queue, null, "undelayed".getBytes());
    assertThat(template.receive(world.queue, 20_000).getBody()).asString().isEqualTo("once");
    assertThat(template.receive(world.queue, 20_000).getBody()).asString().isEqualTo("undelayed");
    assertThat(template.receive(world.queue)).isNull();
  }

  @Test
  void while_the_store_is_away_nothing_is_taken() throws Exception {
    MessageKey key = world.held("later");
    world.awaitWaiting(world.queue, 1);
    world.database.down(true);
    assertThatThrownBy(() -> template.receive(world.queue))
        .isInstanceOf(AmqpException.class)
        .hasMessageContainingAll(world.queue, "the store does not answer");
    assertThatThrownBy(() -> template.receive(world.queue, 20_000))
        .isInstanceOf(AmqpException.class);
    world.database.down(false);
    assertThat(template.receive(world.queue, 20_000)).isNotNull();
    assertThat(world.find(key).state()).isEqualTo(MessageState.SETTLED);
  }

  @Test
  void what_comes_early_is_held_again() throws Exception {
    Instant deliverAt = Instant.now().plusSeconds(2);
    world.channel.basicPublish(
        "", world.queue, Copies.untracked("early", deliverAt, Map.of()), new byte[1]);
    assertThat(template.receive(world.queue, 20_000)).isNotNull();
    assertThat(Instant.now()).isAfter(deliverAt.minus(Duration.ofMillis(400)));
  }

  @Test
  void what_is_replied_to_is_settled_too() throws Exception {
    MessageKey key = world.held("question");
    world.awaitWaiting(world.queue, 1);
    ReceiveAndReplyMessageCallback answer =
        question -> new Message("answer".getBytes(), question.getMessageProperties());
    assertThat(template.receiveAndReply(world.queue, answer, "", world.queue + ".dead")).isTrue();
    assertThat(world.find(key).state()).isEqualTo(MessageState.SETTLED);
    world.awaitWaiting(world.queue + ".dead", 1);
  }

  @Test
  void in_a_transaction_it_is_settled_with_that_and_comes_again_without() throws Exception {
    template.setChannelTransacted(true);
    TransactionTemplate transaction =
        new TransactionTemplate(new RabbitTransactionManager(world.springs));
    MessageKey key = world.held("in a transaction");
    world.awaitWaiting(world.queue, 1);
    transaction.executeWithoutResult(
        status -> {
          assertThat(template.receive(world.queue)).isNotNull();
          status.setRollbackOnly();
        });
    assertThat(world.find(key).state()).isIn(MessageState.PENDING, MessageState.HELD);
    world.awaitWaiting(world.queue, 1);
    transaction.executeWithoutResult(
        status -> assertThat(template.receive(world.queue, 20_000)).isNotNull());
    assertThat(world.find(key).state()).isEqualTo(MessageState.SETTLED);
    world.awaitWaiting(world.queue, 0);
  }
}
