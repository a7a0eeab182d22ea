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
   * What the names of the tables begin with, {@code pocketwatch_} by default.
   *
   * @throws IllegalArgumentException unless 1 to 30 of {@code a-z 0-9 _}, no digit first
   */
  public JdbcDelayStoreBuilder tablePrefix(String prefix) {
    this.tables = new Tables(prefix);
    return this;
  }

  /**
   * How long the database may leave a statement of ours without an answer, 1 s to 1 h, 30 s by
   * default. Its connection is given up then, and the call fails. A shorter network timeout of the
   * connection itself stays. Transactions of the caller are not bounded by it.
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
   * Asks the database what it is and checks the version of its tables.
   *
   * @throws StoreException if it cannot be reached, is not supported, or its tables are missing,
   *     older or newer
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

  /** Without parameters and user: both may hold a password. */
  private static String describe(DatabaseMetaData metaData) throws SQLException {
    String url = String.valueOf(metaData.getURL());
    return metaData.getDatabaseProductName()
        + " "
        + metaData.getDatabaseProductVersion()
        + " at "
        + url.replaceFirst("[?;].*", "").replaceFirst("//[^/@]*@", "//");
  }
}
