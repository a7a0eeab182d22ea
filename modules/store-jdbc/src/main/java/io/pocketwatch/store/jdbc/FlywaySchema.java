// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.store.StoreException;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

/** Separate from {@link JdbcSchema}, whose texts need no Flyway on the class path. */
final class FlywaySchema {
  private static final String TABLE = "pocketwatch_schema_history";

  private FlywaySchema() {}

  /**
   * @param version the version of the present tables, 0 without any
   */
  static void create(DataSource dataSource, String folder, int version) {
    try {
      Flyway.configure(FlywaySchema.class.getClassLoader())
          .dataSource(dataSource)
          .locations("classpath:" + folder)
          .table(TABLE)
          // The application's tables may exist, and ours, too, if created by hand.
          .baselineOnMigrate(true)
          .baselineVersion(Integer.toString(version))
          .load()
          .migrate();
    } catch (FlywayException e) {
      throw new StoreException("the tables could not be created: " + ErrorWords.of(e), e);
    }
  }
}
