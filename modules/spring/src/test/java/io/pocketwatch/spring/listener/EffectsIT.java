// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.Handlings;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Effects in the store's database happen once; in a transaction around, not before its commit. */
@Timeout(120)
@Tag("wide")
class EffectsIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.version("4.3");

  private ListenerWorld world;
  private JdbcTemplate jdbc;
  private DataSourceTransactionManager transactions;
  private SettleInTransaction settle;

  @BeforeEach
  void open() throws Exception {
    world = new ListenerWorld(broker::connectionFactory);
    jdbc = new JdbcTemplate(world.database);
    jdbc.execute("CREATE TABLE effect (body VARCHAR(100))");
    transactions = new DataSourceTransactionManager(world.database);
    settle = new SettleInTransaction(world.store);
  }

  @AfterEach
  void close() throws Exception {
    world.close();
  }

  private int effects() {
    return Objects.requireNonNull(
        jdbc.queryForObject("SELECT COUNT(*) FROM effect", Integer.class));
  }

  private void effect(Message message) {
    jdbc.update("INSERT INTO effect VALUES (?)", new String(message.getBody()));
  }

  static class Working {
    final AtomicInteger calls = new AtomicInteger();
    final BlockingQueue<Throwable> thrown = new LinkedBlockingQueue<>();
    final Consumer<Message> work;

    Working(Consumer<Message> work) {
      this.work = work;
    }

    @RabbitListener(queues = "${queue}")
    void handle(Message message) {
      calls.incrementAndGet();
      try {
        work.accept(message);
      } catch (RuntimeException e) {
        thrown.add(e);
        throw e;
      }
    }
  }

  private Consumer<Message> inTransaction(Consumer<Message> work) {
    TransactionTemplate template = new TransactionTemplate(transactions);
    return message -> template.executeWithoutResult(status -> work.accept(message));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void the_effect_and_its_settling_are_committed_together(boolean simple) throws Exception {
    Working listener =
        new Working(
            inTransaction(
                message -> {
                  effect(message);
                  settle.settle();
                }));
    world.consume(simple, listener);
    MessageKey key = world.held("work");

    world.awaitState(key, MessageState.SETTLED);
    assertThat(ListenerWorld.next(world.settled)).isEqualTo(key);
    world.awaitWaiting(world.queue, 0);
    world.copy(world.queue, key);
    world.awaitWaiting(world.queue, 0);
    assertThat(effects()).isEqualTo(1);
    assertThat(listener.calls).hasValue(1);
  }

  @Test
  void what_was_rolled_back_is_not_settled_and_a_retry_does_both() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    Working listener =
        new Working(
            inTransaction(
                message -> {
                  effect(message);
                  settle.settle();
                  if (attempts.incrementAndGet() < 3) {
                    throw new IllegalStateException("after all that");
                  }
                }));
    world.simple(listener, factory -> factory.setAdviceChain(ListenerWorld.threeAttempts()));
    MessageKey key = world.held("work");

    world.awaitState(key, MessageState.SETTLED);
    assertThat(ListenerWorld.next(world.settled)).isEqualTo(key);
    assertThat(effects()).isEqualTo(1);
    assertThat(listener.calls).hasValue(3);
  }

  @Test
  void what_a_nested_transaction_settled_and_rolled_back_is_settled_without_it() throws Exception {
    TransactionTemplate nested = new TransactionTemplate(transactions);
    nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
    Working listener =
        new Working(
            inTransaction(
                message -> {
                  nested.executeWithoutResult(
                      inner -> {
                        settle.settle();
                        inner.setRollbackOnly();
                      });
                  effect(message);
                }));
    world.simple(listener, factory -> {});
    MessageKey key = world.held("work");

    assertThat(ListenerWorld.next(world.settled)).isEqualTo(key);
    assertThat(world.find(key).state()).isEqualTo(MessageState.SETTLED);
    world.awaitWaiting(world.queue, 0);
    assertThat(effects()).isEqualTo(1);
    assertThat(listener.calls).hasValue(1);
  }

  @Test
  void one_whose_handling_was_taken_over_rolls_back_and_leaves_it_to_the_other() throws Exception {
    BlockingQueue<Handling> others = new LinkedBlockingQueue<>();
    Working listener =
        new Working(
            inTransaction(
                message -> {
                  Handling own = DeliveryInProgress.current().handling().orElseThrow();
                  Handlings.of(world.store).abandon(own); // as if its lease had run out
                  others.add(world.elsewhere(own.key(), Duration.ofSeconds(60)));
                  effect(message);
                  settle.settle();
                }));
    world.simple(listener, factory -> factory.setDefaultRequeueRejected(false));
    MessageKey key = world.held("work");

    Handling other = ListenerWorld.next(others);
    ListenerWorld.next(listener.thrown);
    world.awaitWaiting(world.queue, 0); // dropped, as the other has it
    assertThat(Handlings.of(world.store).settle(other)).isTrue();
    assertThat(effects()).isZero();
    assertThat(listener.calls).hasValue(1);
    world.awaitWaiting(world.queue + ".dead", 0);
    assertThat(world.find(key).state()).isEqualTo(MessageState.SETTLED);
  }

  @Test
  void outside_of_a_transaction_it_says_what_is_missing() throws Exception {
    Working listener = new Working(message -> settle.settle());
    world.simple(listener, factory -> factory.setDefaultRequeueRejected(false));
    world.held("work");

    assertThat(ListenerWorld.next(listener.thrown))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no transaction on the DataSource");
  }
}
