// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.store.StoreException;
import java.lang.reflect.Proxy;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DialectsTest {
  @Test
  void refuses_by_name_and_version() {
    assertThatThrownBy(() -> Dialects.of("Oracle", "19c", 19, 0))
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith("the database is Oracle 19c; supported: PostgreSQL 13");
    assertThatThrownBy(() -> Dialects.of("PostgreSQL", "12.22", 12, 22))
        .hasMessageContaining("PostgreSQL 12.22");
    assertThatThrownBy(() -> Dialects.of("MySQL", "5.7.44", 5, 7)).hasMessageContaining("5.7.44");
    assertThatThrownBy(() -> Dialects.of("MariaDB", "10.5", 10, 5)).hasMessageContaining("10.5");
    assertThatThrownBy(() -> Dialects.of("H2", "1.4.200", 1, 4)).hasMessageContaining("1.4.200");
  }

  @Test
  void takes_what_is_supported() {
    assertThat(Dialects.of("PostgreSQL", "13.0", 13, 0).folder()).isEqualTo("postgresql");
    assertThat(Dialects.of("MySQL", "8.0.36", 8, 0).folder()).isEqualTo("mysql");
    assertThat(Dialects.of("MySQL", "9.7.4-2", 9, 7).folder()).isEqualTo("mysql");
    assertThat(Dialects.of("MariaDB", "10.6.1", 10, 6).folder()).isEqualTo("mysql");
    assertThat(Dialects.of("MariaDB", "11.4.5", 11, 4).folder()).isEqualTo("mysql");
    assertThat(Dialects.of("H2", "2.4", 2, 4).folder()).isEqualTo("h2");
  }

  @Test
  void refuses_settings_under_which_nothing_could_be_stored() {
    assertThatThrownBy(
            () ->
                MySqlDialect.requireSettings(
                    Map.of("log_bin", "ON", "binlog_format", "STATEMENT", "sql_mode", "")))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("binlog_format to ROW or MIXED");
    assertThatThrownBy(
            () -> MySqlDialect.requireSettings(Map.of("sql_mode", "PIPES_AS_CONCAT,ORACLE")))
        .hasMessageContaining("sql_mode is ORACLE");
    MySqlDialect.requireSettings(Map.of("log_bin", "OFF", "binlog_format", "STATEMENT"));
    MySqlDialect.requireSettings(Map.of("log_bin", "ON", "binlog_format", "MIXED"));
    MySqlDialect.requireSettings(Map.of("log_bin", "ON")); // as in versions without a choice
  }

  @Test
  void sees_maria_db_behind_my_sqls_driver() throws SQLException {
    DatabaseMetaData supported = mySqlsDriver("5.5.5-10.11.19-MariaDB-0+deb12u1", 5, 5);
    assertThat(Dialects.detect(supported).folder()).isEqualTo("mysql");
    DatabaseMetaData old = mySqlsDriver("10.5.29-MariaDB", 10, 5);
    assertThatThrownBy(() -> Dialects.detect(old)).hasMessageContaining("is MariaDB 10.5.29");
  }

  private static DatabaseMetaData mySqlsDriver(String version, int major, int minor) {
    return (DatabaseMetaData)
        Proxy.newProxyInstance(
            DialectsTest.class.getClassLoader(),
            new Class<?>[] {DatabaseMetaData.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "getDatabaseProductName" -> "MySQL";
                  case "getDatabaseProductVersion" -> version;
                  case "getDatabaseMajorVersion" -> major;
                  case "getDatabaseMinorVersion" -> minor;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  @Test
  void changes_stand_as_batch_and_as_arrays() {
    RowChange change =
        new RowChange(
            "UPDATE t SET a = :a, n = n + :n{from} WHERE id = :id AND a <> :a",
            "id text, a text, n bigint");
    assertThat(change.positional())
        .isEqualTo("UPDATE t SET a = ?, n = n + ? WHERE id = ? AND a <> ?");
    assertThat(change.positions()).isEqualTo(List.of(1, 2, 0, 1));
    assertThat(change.arrays())
        .isEqualTo(
            "UPDATE t SET a = v.p_a, n = n + v.p_n FROM unnest(?::text[], ?::text[], ?::bigint[])"
                + " WITH ORDINALITY AS v(p_id, p_a, p_n, p_ordinal)"
                + " WHERE id = v.p_id AND a <> v.p_a RETURNING v.p_ordinal");
  }

  @Test
  void all_databases_have_the_same_columns() {
    List<String> postgresql = columns("postgresql");
    assertThat(postgresql).hasSizeGreaterThan(50);
    assertThat(columns("h2")).isEqualTo(postgresql);
    List<String> mysql = new java.util.ArrayList<>(columns("mysql"));
    assertThat(mysql.remove("insertion")).isTrue();
    assertThat(mysql).isEqualTo(postgresql);
  }

  private static List<String> columns(String product) {
    return JdbcSchema.ddl(product)
        .lines()
        .filter(
            line ->
                line.matches("  [a-z_]+ +(VARCHAR|BIGINT|INTEGER|BYTEA|BLOB|\\w*TEXT|\\w+BLOB).*"))
        .map(line -> line.trim().replaceFirst(" .*", ""))
        .toList();
  }
}
