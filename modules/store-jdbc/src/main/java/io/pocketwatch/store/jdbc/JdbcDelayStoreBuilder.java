// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.store.StoreException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** Builds a {@link JdbcDelayStore}; see {@link JdbcDelayStore#builder}. */
public final class JdbcDelayStoreBuilder {
  private static final Duration LEAST = Duration.ofSeconds(1);
  private static final Duration MOST = Duration.ofHours(1);

  private final DataSource dataSource;
  private Duration statementTimeout = Duration.ofSeconds(30);
  private Tables tables = new Tables(Tables.DEFAULT_PREFIX);

  JdbcDelayStoreBuilder(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /**
   * The prefix of the tables' names, {@code pocketwatch_} by default.
   *
   * @throws IllegalArgumentException unless 1 to 30 of {@code a-z 0-9 _}, no digit first
   */
  public JdbcDelayStoreBuilder tablePrefix(String prefix) {
    this.tables = new Tables(prefix);
    return this;
  }

  /**
   * The longest wait for the answer to a statement, 1 s to 1 h, 30 s by default. After that its
   * connection is given up, and the call fails. A shorter network timeout of the connection itself
   * stays. It does not apply to transactions of the caller.
   *
   * @throws IllegalArgumentException if it is out of range
   */
  public JdbcDelayStoreBuilder statementTimeout(Duration timeout) {
    if (timeout.compareTo(LEAST) < 0 || timeout.compareTo(MOST) > 0) {
      throw new IllegalArgumentException(
          "statement timeout %s is out of range; allowed: %s to %s"
              .formatted(
                  DurationText.format(timeout),
                  DurationText.format(LEAST),
                  DurationText.format(MOST)));
    }
    this.statementTimeout = timeout;
    return this;
  }

  /**
   * Builds the store, after a check of the database and the version of its tables.
   *
   * @throws StoreException if the database cannot be reached or is not supported, or its tables are
   *     missing, older or newer
   */
  public JdbcDelayStore build() {
    try (Connection connection = dataSource.getConnection()) {
      DatabaseMetaData metaData = connection.getMetaData();
      Dialect dialect = Dialects.detect(metaData);
      dialect.requireSettings(connection);
      SchemaCheck.check(connection, tables);
      return new JdbcDelayStore(
          dataSource,
          new Sql(tables, dialect),
          describe(metaData),
          connection.getAutoCommit(),
          statementTimeout);
    } catch (SQLException e) {
      throw new StoreException("the database could not be reached: " + Jdbc.words(e), e);
    }
  }

  /** The URL without parameters and user, which may hold a password. */
  private static String describe(DatabaseMetaData metaData) throws SQLException {
    String url = String.valueOf(metaData.getURL());
    return metaData.getDatabaseProductName()
        + " "
        + metaData.getDatabaseProductVersion()
        + " at "
        + url.replaceFirst("[?;].*", "").replaceFirst("//[^/@]*@", "//");
  }
}
