// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import io.pocketwatch.spring.internal.TargetDataSource;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import javax.sql.DataSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The store in the application's own {@code DataSource}. Apart, for one that builds its own. */
@Configuration(proxyBeanMethods = false)
public class JdbcTablesWiring {
  /**
   * The store's own work is in transactions of its own, also where a proxy would make it a part of
   * the caller's.
   *
   * @throws io.pocketwatch.store.StoreException if the tables are missing or of another version
   */
  @Bean(destroyMethod = "close")
  JdbcDelayStore pocketwatchStore(DataSource dataSource, PocketwatchSettings settings) {
    if (settings.store().createSchema()) {
      create(dataSource);
    }
    return JdbcDelayStore.builder(TargetDataSource.of(dataSource))
        .tablePrefix(settings.store().tablePrefix())
        .build();
  }

  private static void create(DataSource dataSource) {
    try {
      JdbcSchema.create(dataSource);
    } catch (NoClassDefFoundError e) {
      throw new IllegalStateException(
          "pocketwatch.store.create-schema: true needs org.flywaydb:flyway-core and its module for"
              + " your database on the class path; without it give the statements of"
              + " './pocketwatch schema' to whoever creates your tables",
          e);
    }
  }
}
