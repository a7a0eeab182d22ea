// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.internal.base.ErrorWords;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the drivers and the pool throw when a database is away, in words. */
@Tag("ci")
class DatabaseWordsIT {
  private static final String SECRET = "s3cret-of-the-database";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://127.0.0.1:%s/x?connectTimeout=2&user=me&password=" + SECRET,
        "jdbc:mariadb://127.0.0.1:%s/x?connectTimeout=2000&user=me&password=" + SECRET,
        "jdbc:h2:tcp://127.0.0.1:%s/./x;USER=me;PASSWORD=" + SECRET
      })
  void a_database_that_is_away_is_told_in_words(String url) throws Exception {
    int nobody;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      nobody = socket.getLocalPort();
    }
    assertWords(url.formatted(nobody));
    AtomicBoolean closed = new AtomicBoolean();
    try (ServerSocket hangingUp = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread accepting = new Thread(() -> hangUp(hangingUp, closed));
      accepting.start();
      assertWords(url.formatted(hangingUp.getLocalPort()));
      closed.set(true);
    }
  }

  private static void hangUp(ServerSocket server, AtomicBoolean closed) {
    while (!closed.get()) {
      try (Socket socket = server.accept()) {
        assertThat(socket).isNotNull();
      } catch (IOException e) {
        return;
      }
    }
  }

  private static void assertWords(String url) {
    assertIsWords(catchThrowable(() -> DriverManager.getConnection(url)));
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setConnectionTimeout(300);
    assertIsWords(catchThrowable(() -> new HikariDataSource(config)));
    config.setInitializationFailTimeout(-1);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      Throwable noConnection = catchThrowable(pool::getConnection);
      assertThat(noConnection).isInstanceOf(SQLTransientConnectionException.class);
      assertIsWords(noConnection);
    }
  }

  static Stream<Throwable> without_words() {
    return Stream.of(
            new SQLException(),
            new SQLException((String) null, "08006"),
            new SQLException("", "08006"),
            new SQLTransientConnectionException(),
            new SQLNonTransientConnectionException(),
            new SQLRecoverableException(),
            new SQLTimeoutException(),
            new SQLTransactionRollbackException())
        .flatMap(
            each ->
                Stream.of(
                    each, new SQLException(each), new RuntimeException("no pool: " + each, each)));
  }

  @ParameterizedTest
  @MethodSource
  void without_words(Throwable error) {
    assertIsWords(error);
  }

  private static void assertIsWords(Throwable error) {
    assertThat(ErrorWords.of(error))
        .isNotBlank()
        .doesNotContain("null", "Exception", "java.", SECRET, "\n")
        .doesNotMatch(".*[:;,]\\s*$");
  }
}
