// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.hold;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.server.broker.NamedBroker;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeoutException;

/**
 * Asks whether every queue and exchange of ours is there; for {@code topology: verify}. Declares,
 * binds, publishes and deletes nothing, and so does not see a queue that is there and takes no
 * messages: {@link HoldCheck} does.
 */
public final class HoldPresence {
  private static final int CLOSE_MILLIS = 5_000;

  private final NamedBroker broker;
  private final DelayRoutes routes;

  public HoldPresence(NamedBroker broker, DelayRoutes routes) {
    this.broker = broker;
    this.routes = routes;
  }

  /**
   * Name and state of each that is not there, as a part of a sentence.
   *
   * @throws IOException if the broker cannot be asked
   */
  public List<String> missing() throws IOException, TimeoutException {
    Connection connection = broker.connect("pocketwatch hold check");
    try {
      return new MissingParts(connection, routes, facts(connection))
          .find(true, false).parts().stream().map(each -> each + " is not there").toList();
    } catch (ShutdownSignalException e) { // lost between two questions
      throw new IOException(e);
    } finally {
      connection.abort(CLOSE_MILLIS);
    }
  }

  private BrokerCapabilities facts(Connection connection) {
    String version = String.valueOf(connection.getServerProperties().get("version"));
    return new BrokerCapabilities(version, false, false, 0, broker.userName());
  }
}
