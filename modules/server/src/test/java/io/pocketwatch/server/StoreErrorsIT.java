// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is wrong with a store is said in one line. */
class StoreErrorsIT {
  @TempDir private Path folder;

  @Test
  void nobody_configured_one() throws IOException {
    CommandRun run = list("{}");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).singleElement().asString().contains("pocketwatch.store.url");
  }

  @Test
  void no_driver_knows_it() throws IOException {
    CommandRun run = list("{store: {url: 'jdbc:oracle:thin:me/secret@host'}}");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .singleElement()
        .asString()
        .contains("pocketwatch.store.url", "'jdbc:oracle:'", "jdbc:postgresql:")
        .doesNotContain("secret");
  }

  @Test
  void the_database_is_away() throws IOException {
    CommandRun run = list("{store: {url: 'jdbc:postgresql://127.0.0.1:1/none'}}");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .singleElement()
        .asString()
        .startsWith("pocketwatch: the database cannot be reached: ")
        .contains("127.0.0.1:1");
  }

  @Test
  void tables_are_missing_and_then_newer() throws Exception {
    try (TestDatabase database = TestDatabases.h2()) {
      String store = "{store: {url: '" + database.url() + "'}}";
      CommandRun missing = list(store);
      assertThat(missing.exitCode()).isEqualTo(1);
      assertThat(missing.err())
          .singleElement()
          .asString()
          .contains("no Pocketwatch tables", "./pocketwatch schema --create --config FILE");

      CommandRun created = run(store, "schema", "--create");
      assertThat(created.exitCode()).as("%s", created).isZero();
      assertThat(created.out())
          .singleElement()
          .asString()
          .startsWith("The tables have been made")
          .contains("H2");
      assertThat(run(store, "schema", "--create").out())
          .singleElement()
          .asString()
          .startsWith("The tables were there already");
      assertThat(list(store).exitCode()).isZero();

      setVersion(database, 99);
      CommandRun newer = list(store);
      assertThat(newer.exitCode()).isEqualTo(1);
      assertThat(newer.err()).singleElement().asString().contains("version 99, newer");
    }
  }

  @Test
  void a_time_that_is_none_is_usage_before_the_database_is_asked() throws IOException {
    CommandRun run =
        run(
            "{store: {url: 'jdbc:postgresql://127.0.0.1:1/none'}}",
            "list",
            "--due-from",
            "tomorrow");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err().get(0)).contains("--due-from 'tomorrow' is not a time");
  }

  private static void setVersion(TestDatabase database, int version) throws SQLException {
    try (Connection connection = DriverManager.getConnection(database.url());
        Statement statement = connection.createStatement()) {
      statement.executeUpdate("UPDATE pocketwatch_schema SET version = " + version);
    }
  }

  private CommandRun list(String pocketwatch) throws IOException {
    return run(pocketwatch, "list");
  }

  private CommandRun run(String pocketwatch, String... arguments) throws IOException {
    Path file = Files.writeString(folder.resolve("p.yml"), "pocketwatch: " + pocketwatch + "\n");
    String[] all = java.util.Arrays.copyOf(arguments, arguments.length + 1);
    all[arguments.length] = "--config=" + file;
    return CommandRun.of(all);
  }
}
