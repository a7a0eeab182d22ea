// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * The DDL of the tables, and a way to create them. The files are in {@code
 * io/pocketwatch/store/jdbc/{postgresql,mysql,h2}}, for your own Flyway or to be copied.
 */
public final class JdbcSchema {
  private static final String FILE = "/V1__pocketwatch.sql";

  private static final String FOLDER = "io/pocketwatch/store/jdbc/";

  private JdbcSchema() {}

  /**
   * Creates the tables with the prefix {@code pocketwatch_}; does nothing if they exist, also if
   * they were created from the files by hand. It needs {@code flyway-core} and its module for the
   * database. Flyway's own table is {@code pocketwatch_schema_history}, apart from the
   * application's.
   *
   * @return whether there was something to do
   * @throws StoreException if the database cannot be reached, is not supported or refuses
   */
  public static boolean create(DataSource dataSource) {
    String folder;
    Integer version;
    try (Connection connection = dataSource.getConnection()) {
      Dialect dialect = Dialects.detect(connection.getMetaData());
      dialect.requireSettings(connection);
      if (!connection.getAutoCommit() && dialect.inTransaction(connection)) {
        throw new StoreException("the tables cannot be created here: " + Transactions.NOT_OURS);
      }
      folder = dialect.folder();
      version = SchemaCheck.version(connection, new Tables(Tables.DEFAULT_PREFIX));
    } catch (SQLException e) {
      throw new StoreException("the database could not be reached: " + Jdbc.words(e), e);
    }
    if (version != null) {
      SchemaCheck.requireNotNewer(version);
    }
    FlywaySchema.create(dataSource, FOLDER + folder, version == null ? 0 : version);
    return version == null || version < SchemaCheck.VERSION;
  }

  /**
   * The statements that create the tables.
   *
   * @param product {@code postgresql}, {@code mysql}, {@code mariadb} or {@code h2}
   */
  public static String ddl(String product) {
    return ddl(product, Tables.DEFAULT_PREFIX);
  }

  /** {@link #ddl(String)} with another prefix; see {@link JdbcDelayStoreBuilder#tablePrefix}. */
  public static String ddl(String product, String tablePrefix) {
    String prefix = new Tables(tablePrefix).prefix();
    String folder = FOLDER + Dialects.named(product).folder();
    return text(folder + FILE).replace(Tables.DEFAULT_PREFIX, prefix);
  }

  private static String text(String path) {
    try (InputStream in = JdbcSchema.class.getClassLoader().getResourceAsStream(path)) {
      if (in == null) {
        throw new IllegalStateException(path + " is missing from the library");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
