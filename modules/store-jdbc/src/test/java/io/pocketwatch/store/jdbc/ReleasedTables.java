// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** The tables of a release in a file, DDL and rows, and a database of that product. */
enum ReleasedTables {
  POSTGRESQL,
  MYSQL,
  H2;

  private static final Path FOLDER = Path.of("src", "test", "resources", "released");
  private static final String ROWS = "-- Rows.\n";
  private static final Pattern TABLE = Pattern.compile("CREATE TABLE (\\w+)");
  private static final Set<Integer> BINARY =
      Set.of(Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB);

  TestDatabase database() throws SQLException {
    return switch (this) {
      case POSTGRESQL -> TestDatabases.postgresql();
      case MYSQL -> TestDatabases.mariadb();
      case H2 -> TestDatabases.h2();
    };
  }

  String product() {
    return name().toLowerCase(Locale.ROOT);
  }

  private Path file(String release) {
    return FOLDER.resolve(release).resolve(product() + ".sql");
  }

  String ddl(String release) throws IOException {
    return Files.readString(file(release)).split(ROWS, 2)[0];
  }

  void load(String release, DataSource empty) throws IOException, SQLException {
    try (Connection connection = empty.getConnection();
        Statement statement = connection.createStatement()) {
      for (String text : Files.readString(file(release)).split(";\\s*\n")) {
        statement.execute(text);
      }
    }
  }

  void write(String release, DataSource full) throws IOException, SQLException {
    String ddl = JdbcSchema.ddl(product());
    StringBuilder text = new StringBuilder(ddl).append(ROWS);
    try (Connection connection = full.getConnection()) {
      for (String table : TABLE.matcher(ddl).results().map(each -> each.group(1)).toList()) {
        text.append("DELETE FROM ").append(table).append(";\n");
        rows(connection, table).sorted().forEach(text::append);
      }
    }
    Files.createDirectories(file(release).getParent());
    Files.writeString(file(release), text);
  }

  private Stream<String> rows(Connection connection, String table) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT * FROM " + table)) {
      ResultSetMetaData data = row.getMetaData();
      Set<String> computed = computed(connection, table);
      while (row.next()) {
        List<String> columns = new ArrayList<>();
        List<String> values = new ArrayList<>();
        for (int i = 1; i <= data.getColumnCount(); i++) {
          if (!data.isAutoIncrement(i) && !computed.contains(data.getColumnName(i))) {
            columns.add(data.getColumnName(i).toLowerCase(Locale.ROOT));
            values.add(literal(row, i, data.getColumnType(i)));
          }
        }
        rows.add(
            "INSERT INTO %s (%s)\nVALUES (%s);\n"
                .formatted(table, String.join(", ", columns), String.join(", ", values)));
      }
    }
    return rows.stream();
  }

  private static Set<String> computed(Connection connection, String table) throws SQLException {
    DatabaseMetaData data = connection.getMetaData();
    String name = data.storesUpperCaseIdentifiers() ? table.toUpperCase(Locale.ROOT) : table;
    Set<String> computed = new TreeSet<>();
    try (ResultSet row =
        data.getColumns(connection.getCatalog(), connection.getSchema(), name, "%")) {
      while (row.next()) {
        if (row.getString("IS_GENERATEDCOLUMN").equals("YES")) {
          computed.add(row.getString("COLUMN_NAME"));
        }
      }
    }
    return computed;
  }

  private String literal(ResultSet row, int column, int type) throws SQLException {
    if (BINARY.contains(type)) {
      byte[] bytes = row.getBytes(column);
      String hex = bytes == null ? "" : HexFormat.of().formatHex(bytes);
      return bytes == null ? "NULL" : (this == POSTGRESQL ? "'\\x" : "X'") + hex + "'";
    }
    Object value = row.getObject(column);
    if (value == null || value instanceof Number || value instanceof Boolean) {
      return String.valueOf(value).toUpperCase(Locale.ROOT);
    }
    return "'" + row.getString(column).replace("'", "''") + "'";
  }

  /** Ours in the current schema, Flyway's aside, as this database writes their names. */
  static Set<String> tables(Connection connection) throws SQLException {
    Set<String> tables = new TreeSet<>();
    try (ResultSet row =
        connection
            .getMetaData()
            .getTables(connection.getCatalog(), connection.getSchema(), "%", null)) {
      while (row.next()) {
        String name = row.getString("TABLE_NAME");
        if (name.toLowerCase(Locale.ROOT).matches("pocketwatch_(?!schema_history).*")
            && !row.getString("TABLE_TYPE").contains("INDEX")) {
          tables.add(name);
        }
      }
    }
    return tables;
  }

  static Set<String> columns(Connection connection, String table) throws SQLException {
    Set<String> columns = new TreeSet<>();
    try (ResultSet row =
        connection
            .getMetaData()
            .getColumns(connection.getCatalog(), connection.getSchema(), table, "%")) {
      while (row.next()) {
        columns.add(
            "%s.%s %s(%s) %s"
                .formatted(
                    table,
                    row.getString("COLUMN_NAME"),
                    row.getString("TYPE_NAME"),
                    row.getString("COLUMN_SIZE"),
                    row.getString("IS_NULLABLE")));
      }
    }
    return columns;
  }

  static Set<String> indexes(Connection connection, String table) throws SQLException {
    Set<String> indexes = new TreeSet<>();
    try (ResultSet row =
        connection
            .getMetaData()
            .getIndexInfo(connection.getCatalog(), connection.getSchema(), table, false, true)) {
      while (row.next()) {
        indexes.add(
            "%s: %s %s %s"
                .formatted(
                    table,
                    // H2 makes up the rest of what it calls the index of a primary key.
                    String.valueOf(row.getString("INDEX_NAME"))
                        .replaceFirst("^(PRIMARY_KEY)_.*", "$1"),
                    row.getString("ORDINAL_POSITION"),
                    row.getString("COLUMN_NAME")));
      }
    }
    return indexes;
  }
}
