// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import io.pocketwatch.screen.HelpOption;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.server.config.StoreSettings;
import io.pocketwatch.server.store.OpenStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Prints or makes the tables. */
@Command(
    name = "schema",
    description = {
      "Prints the SQL of the store's tables, for your own migration tool; changes nothing.",
      "With --create makes them in the store of the configuration, or brings them up to date.",
      ""
    },
    footer = {
      "",
      "  pocketwatch schema --db postgresql > V7__pocketwatch.sql",
      "  pocketwatch schema --create --config pocketwatch.yml"
    })
public final class SchemaCommand implements Runnable {
  /** The database whose SQL is printed. */
  enum Database {
    POSTGRESQL,
    MYSQL,
    MARIADB,
    H2
  }

  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;
  @Mixin private ConfigOption config;

  @Option(
      names = "--db",
      paramLabel = "DB",
      description =
          "postgresql, mysql, mariadb or h2; default that of pocketwatch.store.url in the"
              + " configuration.")
  private @Nullable Database database;

  @Option(names = "--create", description = "Create or update the tables. Without it: only print.")
  private boolean create;

  @Override
  public void run() {
    if (create && database != null) {
      throw new ParameterException(
          spec.commandLine(),
          "--create goes to the store of the configuration; --db is for printing only");
    }
    Screen screen = Screen.of(spec.commandLine());
    if (!create) {
      screen.result(JdbcSchema.ddl(product()).stripTrailing());
      return;
    }
    try (OpenStore open = OpenStore.create(config.load().requireStore())) {
      screen.result(
          (open.created()
                  ? "The tables have been made, or brought up to this version: "
                  : "The tables were there already, of this version; nothing was changed: ")
              + open.store().describe());
    }
  }

  private String product() {
    if (database != null) {
      return database.name().toLowerCase(Locale.ROOT);
    }
    StoreSettings settings = config.load().requireStore();
    for (Database each : Database.values()) {
      String name = each.name().toLowerCase(Locale.ROOT);
      if (settings.url().startsWith("jdbc:" + name + ":")) {
        return name;
      }
    }
    throw new ParameterException(spec.commandLine(), "which database? Give --db");
  }
}
