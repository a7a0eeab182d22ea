// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import io.pocketwatch.server.broker.BrokerAddresses;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.server.cli.ConsoleCommand;
import io.pocketwatch.server.config.Role;
import java.net.URI;

/** What {@code console} runs, in this JVM, on a free port. */
public final class BrokerConsole implements AutoCloseable {
  private final Pages pages;

  private BrokerConsole(Pages pages) {
    this.pages = pages;
  }

  public static BrokerConsole start(URI broker, boolean write) {
    NamedBroker named = NamedBroker.require(BrokerAddresses.parse(broker.toString()), line -> {});
    return new BrokerConsole(
        ConsoleCommand.open(named, ConsoleCommand.usual(), 0, write ? Role.WRITE : Role.READ));
  }

  public String url() {
    return pages.url();
  }

  @Override
  public void close() {
    pages.close();
  }
}
