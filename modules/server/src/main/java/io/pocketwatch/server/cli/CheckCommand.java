// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import io.pocketwatch.BrokerIdentity;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.HelpOption;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.server.config.ConfigurationFile;
import io.pocketwatch.server.config.StoreSettings;
import io.pocketwatch.server.store.OpenStore;
import io.pocketwatch.store.StoreException.WrongBrokerException;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Reads a configuration as {@code serve} does; asks store and broker only with an option. */
@Command(
    name = "check",
    description = {
      "Tells all that is wrong with a configuration.",
      "Each fault is a line: FILE:LINE: KEY: what is wrong, and what is allowed. It reads what"
          + " 'serve' reads, with the files and secrets that the configuration names. It asks"
          + " neither a broker nor a database, unless --connect is given.",
      ""
    },
    footer = {
      "",
      "  pocketwatch check --config FILE",
      "  pocketwatch check --config FILE --no-secrets",
      "  pocketwatch check --config FILE --own-store",
      "  pocketwatch check --config FILE --connect",
      "",
      "Exit code 0 if nothing is wrong, else 2. With --connect also 1 or 3, if the store or the"
          + " broker is not right."
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

  @Option(
      names = "--connect",
      description =
          "Ask the store and the broker, too, and whether they belong together. It changes"
              + " nothing.")
  private boolean connect;

  @Mixin private BrokerOption brokerOption;

  @Override
  public Integer call() {
    ConfigurationFile sound = config.loadAll(!withoutSecrets, ownStore);
    Screen screen = Screen.of(spec.commandLine());
    if (connect) {
      connect(sound, screen);
    }
    screen.result(
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

  private void connect(ConfigurationFile sound, Screen screen) {
    NamedBroker broker = brokerOption.named(screen::say);
    BrokerIdentity there = broker.identity();
    screen.result("Broker: %s, %s".formatted(broker, there));
    try (OpenStore open = OpenStore.connect(sound.requireStore())) {
      Optional<BrokerIdentity> own = open.store().broker();
      screen.result("Store: %s".formatted(open.store().describe()));
      if (own.isPresent() && !own.get().equals(there)) {
        throw new WrongBrokerException(own.get(), there);
      }
    }
  }
}
