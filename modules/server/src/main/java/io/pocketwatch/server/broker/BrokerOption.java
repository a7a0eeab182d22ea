// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.broker;

import io.pocketwatch.localbroker.BrokerUnavailableException;
import io.pocketwatch.localbroker.LadderListener;
import io.pocketwatch.screen.CommandFailedException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --broker} for whatever works on a broker that somebody has named. */
public final class BrokerOption {
  @Option(
      names = "--broker",
      paramLabel = "URI",
      converter = BrokerAddresses.Converter.class,
      description =
          "The broker, or several nodes of one with commas between them; default that in"
              + " POCKETWATCH_BROKER or in the file that POCKETWATCH_BROKER_FILE names, else that of"
              + " 'pocketwatch broker'. With amqps:// its certificate has to be trusted by this JVM.")
  private @Nullable BrokerAddresses address;

  /**
   * The broker, as in {@link BrokerChoice#named}.
   *
   * @throws BrokerUnavailableException if none of those named answers
   * @throws CommandFailedException if none is named
   */
  public NamedBroker named(LadderListener listener) {
    return BrokerChoice.named(address, listener);
  }
}
