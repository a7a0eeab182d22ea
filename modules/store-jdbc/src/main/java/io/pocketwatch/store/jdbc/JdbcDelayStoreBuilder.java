// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.StoreException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Builds a {@link JdbcDelayStore}; see {@link JdbcDelayStore#builder}. */
public final class JdbcDelayStoreBuilder {
  private final DataSource dataSource;
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
   * Asks the database what it is and checks the version of its tables.
   *
   * @throws StoreException if it cannot be reached, is not supported, or its tables are missing,
   *     older or newer
   */
  public JdbcDelayStore build() {
    try (Connection connection = dataSource.getConnection()) {
      DatabaseMetaData metaData = connection.getMetaData();
      Dialect dialect = Dialects.detect(metaData);
      SchemaCheck.check(connection, tables);
      return new JdbcDelayStore(dataSource, new Sql(tables, dialect), describe(metaData));
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
