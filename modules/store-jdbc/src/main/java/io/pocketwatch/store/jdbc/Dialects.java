// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.StoreException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the dialect a database speaks. */
final class Dialects {
  private static final String SUPPORTED =
      "supported: PostgreSQL 13 and later, MySQL 8 and later, MariaDB 10.6 and later, H2 2";
  private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+)");

  private Dialects() {}

  static Dialect detect(DatabaseMetaData metaData) throws SQLException {
    String product = metaData.getDatabaseProductName();
    String text = metaData.getDatabaseProductVersion();
    int major = metaData.getDatabaseMajorVersion();
    int minor = metaData.getDatabaseMinorVersion();
    if (text.toLowerCase(Locale.ROOT).contains("mariadb") && product.equals("MySQL")) {
      // MySQL's own driver in front of MariaDB; the text may begin with a compatibility "5.5.5-".
      product = "MariaDB";
      Matcher version = VERSION.matcher(text.replaceFirst("^5\\.5\\.5-", ""));
      if (version.find()) {
        major = Integer.parseInt(version.group(1));
        minor = Integer.parseInt(version.group(2));
      }
    }
    Dialect dialect = of(product, text, major, minor);
    return dialect instanceof PostgreSqlDialect
        ? new PostgreSqlDialect(isReadCommitted(metaData.getConnection()))
        : dialect;
  }

  private static boolean isReadCommitted(Connection connection) throws SQLException {
    return connection.getTransactionIsolation() == Connection.TRANSACTION_READ_COMMITTED;
  }

  static Dialect of(String product, String text, int major, int minor) {
    boolean known =
        switch (product) {
          case "PostgreSQL" -> major >= 13;
          case "MySQL" -> major >= 8;
          case "MariaDB" -> major > 10 || major == 10 && minor >= 6;
          case "H2" -> major == 2;
          default -> false;
        };
    if (!known) {
      throw new StoreException("the database is " + product + " " + text + "; " + SUPPORTED);
    }
    return named(product);
  }

  /** The dialect of a product, whatever its version. */
  static Dialect named(String product) {
    return switch (product.toLowerCase(Locale.ROOT)) {
      case "postgresql" -> new PostgreSqlDialect(true);
      case "mysql", "mariadb" -> new MySqlDialect();
      case "h2" -> new H2Dialect();
      default -> throw new IllegalArgumentException("no DDL for '" + product + "'; " + SUPPORTED);
    };
  }
}
