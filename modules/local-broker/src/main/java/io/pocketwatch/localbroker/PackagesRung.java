// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A private node run from packages that are downloaded once and unpacked into a cache folder. */
final class PackagesRung extends ProgramsRung {

  PackagesRung(Environment base) {
    super(base, BrokerSource.PACKAGES);
  }

  @Override
  RabbitHome programs(LocalBrokerOptions options, Consumer<String> listener)
      throws RungRefusedException {
    for (String tool : new String[] {"apt-get", "dpkg"}) {
      if (base.program(tool).isEmpty()) {
        throw new RungRefusedException(
            "This machine has no " + tool + ", so no Debian packages can be used",
            "Use one of the other ways.");
      }
    }
    @Nullable String version = options.version();
    String wanted = version == null ? Versions.DEFAULT : version;
    DebianSuite suite =
        DebianSuite.holding(wanted)
            .orElseThrow(
                () ->
                    new RungRefusedException(
                        "No Debian release holds RabbitMQ " + wanted,
                        "Ask for one of " + DebianSuite.offer() + "."));
    RabbitHome home = fetch(suite, options.settableClock(), listener);
    if (!Versions.fits(home.version(), wanted)) {
      throw new RungRefusedException(
          "Debian %s holds RabbitMQ %s now, wanted is %s"
              .formatted(suite.label(), home.version(), wanted),
          "Ask for version "
              + home.version()
              + ", or delete a stale copy in "
              + base.cacheFolder().resolve("rabbitmq").resolve(suite.label())
              + ".");
    }
    return home;
  }

  private RabbitHome fetch(DebianSuite suite, boolean settableClock, Consumer<String> listener)
      throws RungRefusedException {
    try {
      return new PackageStore(base, suite).home(settableClock, listener);
    } catch (IOException e) {
      throw new RungRefusedException(
          "RabbitMQ from Debian " + suite.label() + " cannot be fetched: " + e.getMessage(),
          "Check that apt-get can reach its mirror (or set "
              + Environment.MIRROR
              + " to a Debian mirror); a broken download goes on where it stopped.");
    }
  }
}
