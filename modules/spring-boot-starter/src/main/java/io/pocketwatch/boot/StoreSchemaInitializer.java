// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import javax.sql.DataSource;
import org.springframework.boot.jdbc.DatabaseDriver;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.jdbc.init.PlatformPlaceholderDatabaseDriverResolver;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;

/**
 * Makes the store's tables from their script, as Boot's own modules make theirs: a statement that
 * fails is passed over, for the table may be there. The store then checks its tables.
 */
final class StoreSchemaInitializer extends DataSourceScriptDatabaseInitializer {
  private static final String SCRIPT =
      "classpath:io/pocketwatch/store/jdbc/@@platform@@/V1__pocketwatch.sql";

  StoreSchemaInitializer(DataSource dataSource, DatabaseInitializationMode mode) {
    super(dataSource, settings(dataSource, mode));
  }

  private static DatabaseInitializationSettings settings(
      DataSource dataSource, DatabaseInitializationMode mode) {
    DatabaseInitializationSettings settings = new DatabaseInitializationSettings();
    settings.setSchemaLocations(
        new PlatformPlaceholderDatabaseDriverResolver()
            .withDriverPlatform(DatabaseDriver.MARIADB, "mysql")
            .resolveAll(dataSource, SCRIPT));
    settings.setMode(mode);
    settings.setContinueOnError(true);
    return settings;
  }
}
