// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults;

import io.pocketwatch.lab.faults.database.DatabaseSource;
import io.pocketwatch.lab.faults.database.GivenDatabase;
import io.pocketwatch.lab.faults.database.H2Source;
import io.pocketwatch.lab.faults.database.PostgresHome;
import io.pocketwatch.lab.faults.database.PostgresSource;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.server.config.StoreSettings;
import io.pocketwatch.server.store.OpenStore;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Which database the rounds use. */
final class DatabaseOptions {
  private static final String POSTGRESQL = "postgresql";
  private static final String H2 = "h2";

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--database",
      paramLabel = "KIND",
      description = "postgresql or h2; default the first of them that can be had.")
  private @Nullable String database;

  @Option(
      names = "--store",
      paramLabel = "URL",
      description =
          "JDBC URL of an empty database to use instead, with its user; it is not killed. Password"
              + " in POCKETWATCH_STORE_PASSWORD. The tables are created and left there.")
  private @Nullable String store;

  boolean given() {
    return store != null;
  }

  /**
   * Chooses.
   *
   * @throws CommandFailedException if the wanted one cannot be had
   */
  DatabaseSource source() {
    if (store != null) {
      if (database != null) {
        throw new ParameterException(
            spec.commandLine(), "--database: the database is given with --store");
      }
      return new GivenDatabase(store);
    }
    if (database != null && !List.of(POSTGRESQL, H2).contains(database)) {
      throw new ParameterException(
          spec.commandLine(), "--database %s is neither postgresql nor h2".formatted(database));
    }
    if (H2.equals(database)) {
      return new H2Source();
    }
    Optional<PostgresHome> home = PostgresHome.find();
    if (home.isEmpty() && database != null) {
      throw new CommandFailedException(
          ExitCodes.USAGE,
          "--database postgresql: initdb, postgres and pg_ctl are not on the PATH, or do not run"
              + " (root needs setpriv or runuser for them)");
    }
    return home.isPresent() ? new PostgresSource(home.get()) : new H2Source();
  }

  /** In a database with messages our loader would send what is not ours. */
  void requireEmpty() {
    if (store == null) {
      return;
    }
    try (OpenStore open = OpenStore.create(StoreSettings.at(store, System.getenv()))) {
      long rows = open.store().count(MessageQuery.all().states(MessageState.PENDING));
      if (rows > 0) {
        throw new CommandFailedException(
            ExitCodes.USAGE,
            "--store: there are %s waiting in this database; use an empty one"
                .formatted(Numbers.of(rows, "message")));
      }
    }
  }
}
