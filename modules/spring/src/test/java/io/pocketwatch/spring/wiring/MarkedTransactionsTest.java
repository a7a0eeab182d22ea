// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.spring.Delayed;
import io.pocketwatch.spring.DelayedRabbitTemplate;
import io.pocketwatch.spring.DelayedSendException;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SchedulingStore;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** In which transaction a stored message is, where there is more than one. */
class MarkedTransactionsTest {
  private final AnnotationConfigApplicationContext context = StoreContext.with(Application.class);
  private final TransactionTemplate stores = transaction("transactions");
  private final TransactionTemplate others = transaction("others");

  private TransactionTemplate transaction(String manager) {
    return new TransactionTemplate(context.getBean(manager, PlatformTransactionManager.class));
  }

  @AfterEach
  void close() {
    context.close();
  }

  @Test
  void what_is_sent_in_another_managers_transaction_inside_of_the_stores_is_refused() {
    CorrelationData within = new CorrelationData();
    CorrelationData around = new CorrelationData();
    stores.executeWithoutResult(
        outer -> {
          others.executeWithoutResult(
              inner ->
                  assertThatThrownBy(() -> send("within", within))
                      .isInstanceOf(DelayedSendException.class)
                      .hasMessageContaining("send it outside of the inner transaction"));
          send("around", around);
          assertThat(around.getFuture()).isNotDone();
          outer.setRollbackOnly();
        });
    assertThat(within.getFuture().getNow(null).ack()).isFalse();
    assertThat(around.getFuture().getNow(null).ack()).isFalse();
    assertThat(isStored("within")).isFalse();
    assertThat(isStored("around")).isFalse();
  }

  @Test
  void the_stores_transaction_may_be_inside_of_another_managers() {
    CorrelationData correlation = new CorrelationData();
    others.executeWithoutResult(
        outer -> {
          stores.executeWithoutResult(inner -> send("17", correlation));
          assertThat(correlation.getFuture().getNow(null).ack()).isTrue();
          outer.setRollbackOnly();
        });
    assertThat(isStored("17")).isTrue();
  }

  @Test
  void a_new_one_of_the_stores_manager_is_by_itself() {
    TransactionTemplate apart = transaction("transactions");
    apart.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    stores.executeWithoutResult(
        outer -> {
          send("outer", new CorrelationData());
          apart.executeWithoutResult(inner -> send("apart", new CorrelationData()));
          outer.setRollbackOnly();
        });
    assertThat(isStored("apart")).isTrue();
    assertThat(isStored("outer")).isFalse();
  }

  @Test
  void what_is_sent_after_the_commit_is_stored_at_once() {
    CorrelationData afterCommit = new CorrelationData();
    CorrelationData afterCompletion = new CorrelationData();
    CorrelationData participating = new CorrelationData();
    stores.executeWithoutResult(
        status ->
            TransactionSynchronizationManager.registerSynchronization(
                new TransactionSynchronization() {
                  @Override
                  public void afterCommit() {
                    send("afterCommit", afterCommit);
                    assertThat(isStored("afterCommit")).isTrue();
                  }

                  @Override
                  public void afterCompletion(int how) {
                    send("afterCompletion", afterCompletion);
                    stores.executeWithoutResult(late -> send("participating", participating));
                  }
                }));
    for (CorrelationData sent : List.of(afterCommit, afterCompletion, participating)) {
      assertThat(sent.getFuture().getNow(null).ack()).isTrue();
    }
    assertThat(isStored("afterCommit")).isTrue();
    assertThat(isStored("afterCompletion")).isTrue();
    assertThat(isStored("participating")).isTrue();
  }

  @Test
  void how_much_was_sent_before_makes_no_difference() {
    Ordered ordered = new Ordered();
    stores.executeWithoutResult(
        status -> {
          TransactionSynchronizationManager.registerSynchronization(ordered);
          send("first", new CorrelationData());
          send("second", new CorrelationData());
          assertThat(ordered.asked).as("sorted, with all there are").isZero();
          status.setRollbackOnly();
        });
    assertThat(ordered.asked).isPositive();
  }

  /** Counts how often it is sorted. */
  private static final class Ordered implements TransactionSynchronization {
    private int asked;

    @Override
    public int getOrder() {
      asked++;
      return LOWEST_PRECEDENCE;
    }
  }

  @Test
  void one_whose_manager_is_no_bean_is_joined_all_the_same() {
    TransactionTemplate unmarked =
        new TransactionTemplate(
            new JdbcTransactionManager(context.getBean("dataSource", DataSource.class)));
    unmarked.executeWithoutResult(
        status -> {
          send("18", new CorrelationData());
          status.setRollbackOnly();
        });
    unmarked.executeWithoutResult(status -> send("19", new CorrelationData()));
    assertThat(isStored("18")).isFalse();
    assertThat(isStored("19")).isTrue();
  }

  private void send(String id, CorrelationData correlation) {
    context
        .getBean(DelayedRabbitTemplate.class)
        .convertAndSend(
            "orders", "timeout", "x", Delayed.delay(Duration.ofHours(30)).id(id), correlation);
  }

  private boolean isStored(String id) {
    return context.getBean(SchedulingStore.class).find(new MessageKey("timeout", id)).isPresent();
  }

  @Configuration(proxyBeanMethods = false)
  static class Application {
    @Bean
    DelayedRabbitTemplate template(ConnectionFactory connections, DelayedPublisher publisher) {
      return new DelayedRabbitTemplate(connections, publisher);
    }

    /** With listeners of the application, in a list that cannot be added to. */
    @Bean
    JdbcTransactionManager others() {
      JdbcTransactionManager others =
          new JdbcTransactionManager(
              new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID()));
      others.setTransactionExecutionListeners(List.of(new TransactionExecutionListener() {}));
      return others;
    }
  }
}
