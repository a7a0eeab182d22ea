// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.store.LoadingStore.ConsumerProgress;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SchedulingStore.InsertOutcome;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.SettlingStore.Ending;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.StoreException;
import io.pocketwatch.store.StoreException.RowLockedException;
import io.pocketwatch.store.StoreException.StoreUnchangedException;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.store.Handlings;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** As a part of the caller's transaction. */
interface JoiningTests extends JdbcStoreContract {
  @Test
  default void inserted_rows_share_the_callers_fate() throws SQLException {
    ScheduledMessage message = message(newRoute(), "a", store().now());
    try (Connection caller = dataSource().getConnection()) {
      caller.setAutoCommit(false);
      jdbcStore().insert(caller, List.of(message), LOADER);
      assertThat(store().find(message.key())).isEmpty();
      caller.rollback();
      assertThat(store().find(message.key())).isEmpty();

      jdbcStore().insert(caller, List.of(message), LOADER);
      assertThat(jdbcStore().insert(caller, List.of(message), LOADER))
          .as("a present id does not abort the transaction")
          .containsExactly(InsertOutcome.DUPLICATE);
      caller.commit();
      assertThat(caller.isClosed()).isFalse();
      caller.setAutoCommit(true);
    }
    assertThat(state(message.key())).isEqualTo(MessageState.PENDING);
  }

  @Test
  default void an_insert_is_undone_without_its_transaction() throws SQLException {
    String route = newRoute();
    ScheduledMessage undone = message(route, "undone", store().now());
    ScheduledMessage kept = message(route, "kept", store().now());
    try (Connection caller = dataSource().getConnection()) {
      caller.setAutoCommit(false);
      jdbcStore().insert(caller, List.of(undone, kept), LOADER);
      assertThat(jdbcStore().undoInsert(caller, undone.key())).isTrue();
      assertThat(jdbcStore().undoInsert(caller, undone.key())).isFalse();
      caller.commit();
      caller.setAutoCommit(true);
    }
    assertThat(store().find(undone.key())).isEmpty();
    assertThat(state(kept.key())).isEqualTo(MessageState.PENDING);
  }

  /** Not on H2, which waits for locks as long as its address says. */
  default void an_open_transaction_keeps_nobody_else_from_inserting() throws SQLException {
    String route = newRoute();
    ScheduledMessage locked = message(route, "locked", store().now());
    ScheduledMessage free = message(route, "free", store().now());
    try (Connection caller = dataSource().getConnection()) {
      caller.setAutoCommit(false);
      jdbcStore().insert(caller, List.of(locked), null);
      long begun = System.nanoTime();
      assertThatThrownBy(() -> store().insert(List.of(free, locked), null))
          .isInstanceOf(RowLockedException.class);
      assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(9));
      assertThat(store().insert(List.of(free), null)).containsExactly(InsertOutcome.INSERTED);
      caller.commit();
      caller.setAutoCommit(true);
    }
    assertThat(store().insert(List.of(locked), null)).containsExactly(InsertOutcome.DUPLICATE);
  }

  @Test
  default void settling_shares_the_handlers_fate() throws SQLException {
    MessageKey key = held(newRoute(), "a");
    Handling handling = begun(key, "q");
    try (Connection handler = dataSource().getConnection()) {
      handler.setAutoCommit(false);
      assertThat(jdbcStore().settleIn(handler, handling)).isTrue();
      handler.rollback();
      handler.setAutoCommit(true);
    }
    assertThat(state(key)).isEqualTo(MessageState.PENDING);
    assertThat(Handlings.of(store()).settle(handling)).isTrue();
  }

  @Test
  default void what_became_of_the_handlers_transaction_is_told() throws SQLException {
    for (boolean commits : new boolean[] {true, false}) {
      Handling handling = begun(held(newRoute(), "a"), "q");
      List<Ending> asked = List.of(Ending.settledIn(handling));
      try (Connection handler = dataSource().getConnection()) {
        handler.setAutoCommit(false);
        assertThat(jdbcStore().settleIn(handler, handling)).isTrue();
        assertThat(store().end(asked)).as("open").containsExactly(Ended.LOCKED);
        if (commits) {
          handler.commit();
        } else {
          handler.rollback();
        }
        handler.setAutoCommit(true);
      }
      assertThat(store().end(asked)).containsExactly(commits ? Ended.APPLIED : Ended.OVERTAKEN);
      assertThat(Handlings.of(store()).abandon(handling)).isEqualTo(!commits);
    }
  }

  @Test
  default void at_read_committed_a_handler_settles_whose_lease_was_renewed_meanwhile()
      throws SQLException {
    MessageKey key = held(newRoute(), "a");
    Handling handling = begun(key, "q");
    try (Connection handler = dataSource().getConnection()) {
      handler.setAutoCommit(false);
      handler.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      read(handler);
      assertThat(Handlings.of(store()).extend(handling, LONG)).isTrue();
      assertThat(jdbcStore().settleIn(handler, handling)).isTrue();
      handler.commit();
      handler.setAutoCommit(true);
    }
    assertThat(state(key)).isEqualTo(MessageState.SETTLED);
  }

  @Test
  default void at_repeatable_read_a_handler_settles_first() throws SQLException {
    MessageKey key = held(newRoute(), "a");
    Handling handling = begun(key, "q");
    try (Connection handler = dataSource().getConnection()) {
      handler.setAutoCommit(false);
      handler.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      assertThat(Handlings.of(store()).extend(handling, LONG)).isTrue();
      assertThat(jdbcStore().settleIn(handler, handling)).isTrue();
      read(handler);
      handler.commit();
      handler.setAutoCommit(true);
    }
    assertThat(state(key)).isEqualTo(MessageState.SETTLED);
  }

  /** A transaction of the handler's does not write it: it would lock it for as long as it runs. */
  @Test
  default void how_far_a_consumer_has_come_is_known_once_its_transaction_is_committed()
      throws SQLException {
    String route = newRoute();
    held(route, "overdue");
    Handling kept = begun(held(route, "kept"), "keeps");
    Handling undone = begun(held(route, "undone"), "undoes");
    try (Connection handler = dataSource().getConnection()) {
      handler.setAutoCommit(false);
      assertThat(jdbcStore().settleIn(handler, undone)).isTrue();
      handler.rollback();
      assertThat(jdbcStore().settleIn(handler, kept)).isTrue();
      store().end(List.of(Ending.settledIn(kept), Ending.settledIn(undone)));
      assertThat(settledOf(route)).isEmpty();
      handler.commit();
      handler.setAutoCommit(true);
    }
    store().end(List.of(Ending.settledIn(kept), Ending.settledIn(undone)));
    assertThat(settledOf(route)).containsExactly("keeps");
  }

  private List<String> settledOf(String route) {
    return store().overdue(store().now()).stream()
        .filter(each -> each.route().equals(route))
        .flatMap(each -> each.consumers().stream())
        .map(ConsumerProgress::consumer)
        .toList();
  }

  /** From here on a transaction at REPEATABLE READ sees the database as it is now. */
  static void read(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.executeQuery("SELECT COUNT(*) FROM pocketwatch_message").close();
    }
  }

  @Test
  default void a_connection_without_a_transaction_is_refused() throws SQLException {
    try (Connection caller = dataSource().getConnection()) {
      assertThatThrownBy(() -> jdbcStore().insert(caller, List.of(), null))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("auto-commit");
    }
  }

  /** The store's data source gives it the caller's connection, as Spring's or JTA's may. */
  @Test
  default void what_the_caller_began_is_neither_committed_nor_rolled_back() throws SQLException {
    for (boolean usual : new boolean[] {true, false}) {
      ScheduledMessage callers = message(newRoute(), "callers", store().now());
      ScheduledMessage kept = message(newRoute(), "kept", store().now().plus(LONG));
      store().insert(List.of(kept), null);
      try (Connection caller = dataSource().getConnection()) {
        caller.setAutoCommit(usual);
        JdbcDelayStore joining = JdbcDelayStore.builder(HandedOut.always(caller)).build();
        caller.setAutoCommit(false);
        jdbcStore().insert(caller, List.of(callers), null);
        assertThatThrownBy(() -> joining.cancel(kept.key()))
            .isInstanceOf(StoreUnchangedException.class)
            .hasMessageContaining("a transaction that the store did not begin");
        assertThatThrownBy(() -> JdbcSchema.create(HandedOut.always(caller)))
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("a transaction that the store did not begin");
        assertThat(store().find(callers.key())).as("committed").isEmpty();
        assertThat(jdbcStore().insert(caller, List.of(callers), null))
            .as("still there")
            .containsExactly(InsertOutcome.DUPLICATE);
        caller.rollback();
        caller.setAutoCommit(true);
      }
      assertThat(store().find(callers.key())).isEmpty();
      assertThat(state(kept.key())).isEqualTo(MessageState.PENDING);
    }
  }

  /** Such a pool may have begun a transaction when it tested the connection. */
  @Test
  default void a_pool_without_auto_commit_will_do() {
    JdbcDelayStore off = JdbcDelayStore.builder(HandedOut.withoutAutoCommit(dataSource())).build();
    ScheduledMessage message = message(newRoute(), "a", store().now().plus(LONG));
    assertThat(off.insert(List.of(message), null)).containsExactly(InsertOutcome.INSERTED);
    assertThat(off.cancel(message.key())).isEqualTo(ChangeOutcome.DONE);
    assertThat(state(message.key())).isEqualTo(MessageState.CANCELLED);
  }

  @Test
  default void names_that_do_not_fit_are_refused_by_limit() {
    ScheduledMessage longId = message(newRoute(), "x".repeat(201), store().now());
    assertThatThrownBy(() -> store().insert(List.of(longId), null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("201 characters; allowed: 1 to 200");
    ScheduledMessage blank = message(newRoute(), "x ", store().now());
    assertThatThrownBy(() -> store().insert(List.of(blank), null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("blank");
  }
}
