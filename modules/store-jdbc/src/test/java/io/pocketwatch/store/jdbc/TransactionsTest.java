// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.store.StoreException;
import io.pocketwatch.store.StoreException.StoreUnchangedException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class TransactionsTest {
  private static final SQLException GONE = new SQLException("the connection is gone", "08006");

  /** Of the H2 dialect one that passes: a lock time-out. */
  private static final SQLException LOCKED = new SQLException("locked", "HYT00", 50200);

  @Test
  void before_the_commit_is_sent_nothing_can_have_changed() {
    Transactions unreachable = transactions(Map.of("getConnection", GONE));
    assertThatThrownBy(() -> unreachable.run("insert", connection -> "done"))
        .isInstanceOf(StoreUnchangedException.class)
        .hasMessage("the database could not insert: the connection is gone");

    assertThatThrownBy(
            () ->
                transactions(Map.of())
                    .run(
                        "insert",
                        connection -> {
                          throw GONE;
                        }))
        .isInstanceOf(StoreUnchangedException.class);
  }

  @Test
  void the_reason_is_the_database_s_and_not_the_pool_s() {
    SQLException pool =
        new SQLTransientConnectionException(
            "pool - Connection is not available, request timed out after 5000ms", GONE);
    assertThatThrownBy(
            () -> transactions(Map.of("getConnection", pool)).run("insert", connection -> "done"))
        .hasMessage("the database could not insert: the connection is gone");
  }

  @Test
  void a_commit_without_an_answer_may_have_changed_it() {
    assertThatThrownBy(
            () -> transactions(Map.of("commit", GONE)).run("insert", connection -> "done"))
        .isExactlyInstanceOf(StoreException.class)
        .hasMessage("the database did not say whether it could insert: the connection is gone");
  }

  @Test
  void what_is_committed_stays_so_if_the_connection_cannot_be_given_back() {
    String answer = transactions(Map.of("close", GONE)).run("insert", connection -> "done");

    assertThat(answer).isEqualTo("done");
  }

  @Test
  void a_commit_refused_for_a_moment_is_tried_again() {
    AtomicInteger runs = new AtomicInteger();

    assertThatThrownBy(
            () ->
                transactions(Map.of("commit", LOCKED))
                    .run("insert", connection -> runs.incrementAndGet()))
        .isInstanceOf(StoreUnchangedException.class);
    assertThat(runs).hasValueGreaterThan(1);
  }

  private static Transactions transactions(Map<String, SQLException> failures) {
    Connection connection = proxy(Connection.class, failures, null);
    return new Transactions(
        proxy(DataSource.class, failures, connection),
        new H2Dialect(),
        true,
        Duration.ofSeconds(30),
        new LostCommits(
            new Sql(new Tables(Tables.DEFAULT_PREFIX), new H2Dialect()), System::nanoTime));
  }

  private static <T> T proxy(Class<T> type, Map<String, SQLException> failures, Object connection) {
    return type.cast(
        Proxy.newProxyInstance(
            TransactionsTest.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (failures.containsKey(method.getName())) {
                throw failures.get(method.getName());
              }
              return switch (method.getName()) {
                case "getConnection" -> connection;
                case "getAutoCommit" -> true;
                case "getNetworkTimeout" -> 0;
                default -> null;
              };
            }));
  }
}
