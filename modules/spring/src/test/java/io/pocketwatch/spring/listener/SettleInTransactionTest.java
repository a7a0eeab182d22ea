// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.spring.internal.TransactionMark;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import io.pocketwatch.testkit.store.Handlings;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.Message;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Where settling can be a part of a transaction, and where it only seems so. */
class SettleInTransactionTest {
  private static final MessageKey KEY = new MessageKey("timeout", "17");

  private final DataSource database = database();
  private JdbcDelayStore store;
  private SettleInTransaction settle;
  private DeliveryInProgress delivery;

  private static DataSource database() {
    return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
  }

  @BeforeEach
  void begin() {
    JdbcSchema.create(database);
    store = JdbcDelayStore.builder(database).build();
    ScheduledMessage row =
        new ScheduledMessage(
            KEY, null, "", "work", new byte[2], new byte[0], store.now(), Tracking.FULL);
    store.insert(List.of(row), null);
    Handling handling = Handlings.of(store).begin(KEY, 1, "work", Duration.ofMinutes(1)).handling();
    settle = new SettleInTransaction(store);
    delivery =
        new DeliveryInProgress(
            new Message(new byte[0]),
            handling,
            connection -> assertThat(store.settleIn(connection, handling)).isTrue(),
            () -> {});
  }

  @AfterEach
  void close() {
    store.close();
  }

  /** With a manager of that data source, that marks what it begins. */
  private static TransactionTemplate transaction(DataSource dataSource) {
    JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
    new TransactionMark.PostProcessor().postProcessAfterInitialization(manager, "manager");
    return new TransactionTemplate(manager);
  }

  @Test
  void it_is_settled_with_the_transaction_and_undone_with_it() {
    TransactionTemplate transaction = transaction(database);
    transaction.executeWithoutResult(
        status -> {
          settle.settle(delivery);
          status.setRollbackOnly();
        });
    assertThat(state()).isNotEqualTo(MessageState.SETTLED);
    transaction.executeWithoutResult(status -> settle.settle(delivery));
    assertThat(state()).isEqualTo(MessageState.SETTLED);
  }

  @Test
  void in_another_managers_transaction_inside_of_the_stores_it_says_where_to() {
    TransactionTemplate other = transaction(database());
    transaction(database)
        .executeWithoutResult(
            status ->
                other.executeWithoutResult(
                    inner ->
                        assertThatThrownBy(() -> settle.settle(delivery))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("settle outside of the inner transaction")));
    assertThat(state()).isNotEqualTo(MessageState.SETTLED);
  }

  @Test
  void after_the_commit_there_is_no_transaction_to_settle_in() {
    transaction(database)
        .executeWithoutResult(
            status ->
                TransactionSynchronizationManager.registerSynchronization(
                    new TransactionSynchronization() {
                      @Override
                      public void afterCommit() {
                        assertThatThrownBy(() -> settle.settle(delivery))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("no transaction");
                      }
                    }));
    assertThat(state()).isNotEqualTo(MessageState.SETTLED);
  }

  private MessageState state() {
    return store.find(KEY).orElseThrow().state();
  }
}
