// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.store.StoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.springframework.boot.jdbc.DatabaseDriver;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.jdbc.init.PlatformPlaceholderDatabaseDriverResolver;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.core.NestedExceptionUtils;

/**
 * Makes the store's tables from their script, unless they are there. Of several instances that
 * start at once, one makes them: the others' first statement fails, and they wait for it.
 */
final class StoreSchemaInitializer extends DataSourceScriptDatabaseInitializer {
  /** How long to wait for another instance that is creating the tables. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(100);
  private static final String SCRIPT =
      "classpath:io/pocketwatch/store/jdbc/@@platform@@/V1__pocketwatch.sql";
  private static final String TABLES = "SELECT version FROM pocketwatch_schema";

  /** Has a row only if the view exists, which the script creates last. */
  private static final String ALL =
      TABLES + " WHERE NOT EXISTS (SELECT 1 FROM pocketwatch_readable WHERE 1 = 0)";

  private final DataSource database;
  private final Duration patience;

  StoreSchemaInitializer(
      DataSource dataSource, DatabaseInitializationMode mode, Duration patience) {
    super(dataSource, settings(dataSource, mode));
    this.database = dataSource;
    this.patience = patience;
  }

  private static DatabaseInitializationSettings settings(
      DataSource dataSource, DatabaseInitializationMode mode) {
    DatabaseInitializationSettings settings = new DatabaseInitializationSettings();
    settings.setSchemaLocations(
        new PlatformPlaceholderDatabaseDriverResolver()
            .withDriverPlatform(DatabaseDriver.MARIADB, "mysql")
            .resolveAll(dataSource, SCRIPT));
    settings.setMode(mode);
    return settings;
  }

  @Override
  protected void runScripts(Scripts scripts) {
    if (answers(TABLES)) {
      return;
    }
    try {
      super.runScripts(scripts);
    } catch (RuntimeException e) {
      if (!madeByAnother()) {
        throw new StoreException(
            "the store's tables could not be made: %s; before the next start drop those that are there"
                .formatted(ErrorWords.of(NestedExceptionUtils.getMostSpecificCause(e))),
            e);
      }
    }
  }

  private boolean madeByAnother() {
    long begin = System.nanoTime();
    while (!answers(ALL)) {
      if (System.nanoTime() - begin > patience.toNanos()
          || Thread.currentThread().isInterrupted()) {
        return false;
      }
      LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
    }
    return true;
  }

  /** Whether the query succeeds and has a row. */
  private boolean answers(String query) {
    try (Connection connection = database.getConnection()) {
      return hasRow(connection, query);
    } catch (SQLException e) {
      throw new StoreException("the database could not be reached: " + ErrorWords.of(e), e);
    }
  }

  private static boolean hasRow(Connection connection, String query) {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      return rows.next();
    } catch (SQLException e) { // there is no such table
      return false;
    }
  }
}
