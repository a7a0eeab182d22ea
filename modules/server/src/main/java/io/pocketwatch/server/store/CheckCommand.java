// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.config;

import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.HelpOption;
import io.pocketwatch.screen.Screen;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Reads a configuration as {@code serve} does, and goes no further. */
@Command(
    name = "check",
    description = {
      "Tells all that is wrong with a configuration.",
      "Each fault is a line: FILE:LINE: KEY: what is wrong, and what is allowed. It reads what"
          + " 'serve' reads, with the files and secrets that the configuration names. It asks"
          + " neither a broker nor a database.",
      ""
    },
    footer = {
      "",
      "  pocketwatch check --config FILE",
      "  pocketwatch check --config FILE --no-secrets",
      "  pocketwatch check --config FILE --own-store",
      "",
      "Exit code 0 if nothing is wrong, else 2."
    })
public final class CheckCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;
  @Mixin private ConfigOption config;

  @Option(
      names = "--no-secrets",
      description = "For a machine that does not have the secrets it names.")
  private boolean withoutSecrets;

  @Option(
      names = "--own-store",
      description =
          "For a program that brings a store of its own. Otherwise a tracked route needs"
              + " 'pocketwatch.store'.")
  private boolean ownStore;

  @Override
  public Integer call() {
    ConfigurationFile sound = config.loadAll(!withoutSecrets, ownStore);
    Screen.of(spec.commandLine())
        .result(
            "%s: nothing is wrong (routes: %s, schedules: %s, callbacks: %s, store: %s)"
                .formatted(
                    sound.file(),
                    sound.routes().routes().size(),
                    sound.schedules().size(),
                    sound.server().callbacks().size(),
                    sound
                        .store()
                        .map(store -> StoreSettings.scheme(store.url()))
                        .orElse("none, and 'serve' needs one")));
    return ExitCodes.DONE;
  }
}
