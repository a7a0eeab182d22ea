// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import io.pocketwatch.spring.listener.AcknowledgeModesIT.Keeping;
import io.pocketwatch.spring.listener.AcknowledgeModesIT.Unacknowledged;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.AmqpRejectAndDontRequeueException;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.connection.ChannelProxy;
import org.springframework.amqp.support.AmqpHeaders;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** What a listener acknowledges in its own transaction is acknowledged when that has committed. */
@Timeout(120)
@Tag("wide")
class ManualTransactionsIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.version("4.3");

  private ListenerWorld world;
  private JdbcTemplate jdbc;
  private TransactionTemplate transaction;

  @BeforeEach
  void open() throws Exception {
    use(new ListenerWorld(broker::connectionFactory));
  }

  private void use(ListenerWorld used) {
    world = used;
    jdbc = new JdbcTemplate(world.database);
    jdbc.execute("CREATE TABLE effect (body VARCHAR(100))");
    transaction = new TransactionTemplate(new DataSourceTransactionManager(world.database));
  }

  @AfterEach
  void close() throws Exception {
    world.close();
  }

  /** What happens between the acknowledgement and the end of the transaction. */
  @FunctionalInterface
  interface Afterwards {
    void run(int call, Channel channel, TransactionStatus status) throws IOException;
  }

  /** Writes and acknowledges in one transaction. */
  class Acknowledging {
    final BlockingQueue<Long> tags = new LinkedBlockingQueue<>();
    private final Afterwards afterwards;
    private int calls;

    Acknowledging(Afterwards afterwards) {
      this.afterwards = afterwards;
    }

    @RabbitListener(queues = "${queue}", ackMode = "MANUAL")
    void handle(String body, Channel channel, @Header(AmqpHeaders.DELIVERY_TAG) long tag) {
      int call = ++calls;
      tags.add(tag);
      transaction.executeWithoutResult(
          status -> {
            jdbc.update("INSERT INTO effect VALUES (?)", body);
            try {
              channel.basicAck(tag, false);
              afterwards.run(call, channel, status);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
  }

  private void assertEffects(String... bodies) {
    assertThat(jdbc.queryForList("SELECT body FROM effect", String.class)).containsExactly(bodies);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void rolled_back_it_comes_again(boolean simple) throws Exception {
    Acknowledging listener =
        new Acknowledging(
            (call, channel, status) -> {
              if (call == 1) {
                status.setRollbackOnly();
              }
            });
    world.consume(simple, listener);
    MessageKey key = world.held("work");

    world.awaitState(key, MessageState.SETTLED);
    world.awaitWaiting(world.queue, 0);
    assertThat(listener.tags).containsExactly(1L, 2L); // on one channel
    assertEffects("work");
  }

  static Stream<RuntimeException> exceptions() {
    return Stream.of(
        new IllegalStateException("after the acknowledgement"),
        new AmqpRejectAndDontRequeueException("not of a listener that acknowledges"));
  }

  @ParameterizedTest
  @MethodSource("exceptions")
  void rolled_back_by_an_exception_it_comes_again(RuntimeException thrown) throws Exception {
    Acknowledging listener =
        new Acknowledging(
            (call, channel, status) -> {
              if (call == 1) {
                throw thrown;
              }
            });
    world.simple(listener, factory -> {});
    MessageKey key = world.held("work");

    world.awaitState(key, MessageState.SETTLED);
    assertThat(listener.tags).containsExactly(1L, 2L);
    assertEffects("work");
  }

  @Test
  void one_whose_consumer_dies_before_the_commit_comes_again() throws Exception {
    Acknowledging listener =
        new Acknowledging(
            (call, channel, status) -> {
              if (call == 1) {
                ((ChannelProxy) channel).getTargetChannel().getConnection().abort();
                status.setRollbackOnly();
              }
            });
    world.simple(listener, factory -> factory.setRecoveryInterval(100L));
    MessageKey key = world.held("work");

    world.awaitState(key, MessageState.SETTLED);
    assertEffects("work");
  }

  @Test
  void one_whose_consumer_dies_and_that_commits_is_not_handled_again() throws Exception {
    Acknowledging listener =
        new Acknowledging(
            (call, channel, status) -> {
              if (call == 1) {
                ((ChannelProxy) channel).getTargetChannel().getConnection().abort();
              }
            });
    world.simple(listener, factory -> factory.setRecoveryInterval(100L));
    MessageKey first = world.held("first");
    world.awaitState(first, MessageState.SETTLED);
    world.awaitWaiting(world.queue, 0);
    world.awaitState(world.held("second"), MessageState.SETTLED);
    world.awaitWaiting(world.queue, 0);
    assertEffects("first", "second");
  }

  @Test
  void a_retry_acknowledges_once() throws Exception {
    Acknowledging listener =
        new Acknowledging(
            (call, channel, status) -> {
              if (call == 1) {
                throw new IllegalStateException("try again");
              }
            });
    world.simple(listener, factory -> factory.setAdviceChain(ListenerWorld.threeAttempts()));
    world.awaitState(world.held("first"), MessageState.SETTLED);
    world.awaitState(world.held("second"), MessageState.SETTLED);

    world.awaitWaiting(world.queue, 0);
    assertThat(listener.tags).containsExactly(1L, 1L, 2L); // the channel was not closed
    assertEffects("first", "second");
  }

  @Test
  void one_that_is_rejected_after_all_is_dead_lettered() throws Exception {
    Acknowledging listener =
        new Acknowledging(
            (call, channel, status) -> {
              if (call == 1) {
                throw new AmqpRejectAndDontRequeueException("not this one", true, null);
              }
            });
    world.simple(listener, factory -> {});
    MessageKey rejected = world.held("rejected");
    world.awaitWaiting(world.queue + ".dead", 1);
    assertThat(world.find(rejected).state()).isEqualTo(MessageState.FAILED);
    world.awaitState(world.held("next"), MessageState.SETTLED);

    assertThat(listener.tags).containsExactly(1L, 2L); // the channel was not closed
    assertEffects("next");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void several_at_once_share_the_transaction_and_one_without_a_row_does_not(boolean commits)
      throws Exception {
    Keeping listener = new Keeping();
    AnnotationConfigApplicationContext context = world.simple(listener, factory -> {});
    MessageKey first = world.held("first");
    ListenerWorld.next(listener.kept);
    world.channel.basicPublish("", world.queue, null, "no row".getBytes());
    ListenerWorld.next(listener.kept);
    MessageKey second = world.held("second");
    Unacknowledged last = ListenerWorld.next(listener.kept);

    transaction.executeWithoutResult(
        status -> {
          acknowledge(last);
          assertThat(world.find(first).state()).isEqualTo(MessageState.HELD);
          if (!commits) {
            status.setRollbackOnly();
          }
        });

    if (!commits) {
      assertThat(world.find(first).state()).isEqualTo(MessageState.HELD);
      Unacknowledged one = ListenerWorld.next(listener.kept);
      Unacknowledged other = ListenerWorld.next(listener.kept);
      assertThat(List.of(one.body(), other.body()))
          .as("the container and the rollback may return one each, so in any order")
          .containsExactlyInAnyOrder("first", "second");
      transaction.executeWithoutResult(status -> acknowledge(other)); // and what came before it
    }
    world.awaitState(first, MessageState.SETTLED);
    world.awaitState(second, MessageState.SETTLED);
    assertThat(last.channel().isOpen()).isTrue();
    context.close(); // what is not acknowledged goes back
    world.awaitWaiting(world.queue, 0);
  }

  private static void acknowledge(Unacknowledged last) {
    try {
      last.channel().basicAck(last.tag(), true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void as_many_connections_as_listeners_are_enough(boolean acknowledge) throws Exception {
    CyclicBarrier bothInTransaction = new CyclicBarrier(2);
    Working listener =
        new Working(
            (call, channel, tag, status) -> {
              meet(bothInTransaction);
              if (acknowledge) {
                channel.basicAck(tag, false);
              } else {
                channel.basicReject(tag, false);
              }
            });
    List<MessageKey> keys = List.of(world.held("one"), world.held("other"));
    world.awaitWaiting(world.queue, 2);
    world.connections(2);
    world.simple(
        listener,
        factory -> {
          factory.setConcurrentConsumers(2);
          factory.setPrefetchCount(1);
        });

    for (MessageKey key : keys) {
      world.awaitState(key, acknowledge ? MessageState.SETTLED : MessageState.FAILED);
    }
    world.awaitWaiting(world.queue, 0);
    world.awaitWaiting(world.queue + ".dead", acknowledge ? 0 : 2);
    assertThat(listener.calls).hasValue(2);
  }

  private static void meet(CyclicBarrier barrier) {
    try {
      barrier.await(20, TimeUnit.SECONDS);
    } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What a listener tells the broker in its transaction. */
  @FunctionalInterface
  interface Answer {
    void give(int call, Channel channel, long tag, TransactionStatus status) throws IOException;
  }

  /** Writes and answers in one transaction; several at once if need be. */
  class Working {
    final AtomicInteger calls = new AtomicInteger();
    private final Answer answer;

    Working(Answer answer) {
      this.answer = answer;
    }

    @RabbitListener(queues = "${queue}", ackMode = "MANUAL")
    void handle(String body, Channel channel, @Header(AmqpHeaders.DELIVERY_TAG) long tag) {
      int call = calls.incrementAndGet();
      transaction.executeWithoutResult(
          status -> {
            jdbc.update("INSERT INTO effect VALUES (?)", body);
            try {
              answer.give(call, channel, tag, status);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
  }

  /** Its rows are locked by the transaction that has settled them. */
  private Working settlingThen(Answer first) {
    SettleInTransaction settle = new SettleInTransaction(world.store);
    return new Working(
        (call, channel, tag, status) -> {
          settle.settle();
          if (call == 1) {
            first.give(call, channel, tag, status);
          } else {
            channel.basicAck(tag, false);
          }
        });
  }

  static Stream<Answer> returning() {
    return Stream.of(
        (call, channel, tag, status) -> channel.basicNack(tag, false, true),
        (call, channel, tag, status) -> channel.basicReject(tag, true),
        (call, channel, tag, status) -> channel.basicRecover(true));
  }

  @ParameterizedTest
  @MethodSource("returning")
  void what_is_settled_returned_and_rolled_back_is_handled_again(Answer answer) throws Exception {
    Working listener =
        settlingThen(
            (call, channel, tag, status) -> {
              answer.give(call, channel, tag, status);
              status.setRollbackOnly();
            });
    world.simple(listener, factory -> {});
    MessageKey key = world.held("work");

    world.awaitState(key, MessageState.SETTLED);
    world.awaitWaiting(world.queue, 0);
    assertThat(listener.calls).hasValue(2);
    assertEffects("work");
  }

  @Test
  void what_is_settled_rejected_and_rolled_back_is_dead_lettered() throws Exception {
    Working listener =
        settlingThen(
            (call, channel, tag, status) -> {
              channel.basicNack(tag, false, false);
              status.setRollbackOnly();
            });
    world.simple(listener, factory -> {});
    MessageKey key = world.held("work");

    world.awaitState(key, MessageState.FAILED);
    world.awaitWaiting(world.queue + ".dead", 1);
    assertThat(listener.calls).hasValue(1);
    assertEffects();
  }

  @Test
  void what_is_settled_and_committed_is_not_dead_lettered() throws Exception {
    Working listener =
        settlingThen((call, channel, tag, status) -> channel.basicNack(tag, false, false));
    world.simple(listener, factory -> {});
    MessageKey key = world.held("work");

    world.awaitState(key, MessageState.SETTLED);
    world.awaitWaiting(world.queue, 0);
    world.awaitWaiting(world.queue + ".dead", 0);
    assertThat(listener.calls).hasValue(1);
    assertEffects("work");
  }

  @Test
  void what_one_attempt_rejects_and_the_next_commits_is_settled() throws Exception {
    Working listener =
        new Working(
            (call, channel, tag, status) -> {
              if (call == 1) {
                channel.basicNack(tag, false, false);
                throw new IllegalStateException("try again");
              }
              channel.basicAck(tag, false);
            });
    world.simple(listener, factory -> factory.setAdviceChain(ListenerWorld.threeAttempts()));
    MessageKey key = world.held("work");

    world.awaitState(key, MessageState.SETTLED);
    world.awaitWaiting(world.queue, 0);
    world.awaitWaiting(world.queue + ".dead", 0);
    assertThat(listener.calls).hasValue(2);
    assertEffects("work");
  }

  @Test
  void what_another_thread_rejects_has_failed_when_its_transaction_has_ended() throws Exception {
    Keeping listener = new Keeping();
    world.simple(listener, factory -> {});
    MessageKey key = world.held("work");
    Unacknowledged kept = ListenerWorld.next(listener.kept);

    transaction.executeWithoutResult(
        status -> {
          try {
            kept.channel().basicReject(kept.tag(), false);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
          assertThat(world.find(key).state()).isEqualTo(MessageState.HELD);
        });

    world.awaitState(key, MessageState.FAILED);
    world.awaitWaiting(world.queue + ".dead", 1);
  }

  @Test
  void what_cannot_be_settled_after_the_commit_is_when_the_store_answers() throws Exception {
    world.close();
    use(
        new ListenerWorld(
            broker::connectionFactory,
            ListenerWorld.OPTIONS.toBuilder().storePatience(Duration.ofSeconds(1)).build()));
    Keeping listener = new Keeping();
    world.simple(listener, factory -> {});
    MessageKey key = world.held("work");
    Unacknowledged first = ListenerWorld.next(listener.kept);

    transaction.executeWithoutResult(
        status -> {
          acknowledge(first);
          world.database.down(true); // this transaction has its connection
        });

    world.database.down(false);
    world.awaitState(key, MessageState.SETTLED);
    world.awaitWaiting(world.queue, 0);
    assertThat(listener.kept).isEmpty();
  }
}
