// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.server.broker.BrokerAddresses;
import io.pocketwatch.server.broker.NamedBroker;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --broker}, for commands that work on a named broker. */
public final class BrokerOption {
  @Option(
      names = "--broker",
      paramLabel = "URI",
      converter = BrokerAddresses.Converter.class,
      description =
          "The broker, or several nodes of one with commas between them. Default:"
              + " POCKETWATCH_BROKER, or the file that POCKETWATCH_BROKER_FILE names, else, in a"
              + " source tree, './pocketwatch broker'. With amqps:// this JVM has to trust its"
              + " certificate.")
  private @Nullable BrokerAddresses address;

  /**
   * The broker, as in {@link NamedBroker#require}.
   *
   * @throws CommandFailedException if none is named, or none of those named answers
   */
  public NamedBroker named(Consumer<String> words) {
    return NamedBroker.require(address, words);
  }
}
