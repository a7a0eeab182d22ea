// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.hold;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.topology.BrokerFacts;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.internal.topology.QueueSpec;
import io.pocketwatch.internal.topology.Topology;
import io.pocketwatch.server.broker.NamedBroker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;

/**
 * Asks whether every hold queue is there; for {@code topology: verify}. Declares, binds, publishes
 * and deletes nothing, and so does not see a queue that is there and takes no messages: {@link
 * HoldCheck} does.
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
      List<String> missing = new ArrayList<>();
      PassiveDeclares queues = new PassiveDeclares(connection);
      for (String queue : holds(connection)) {
        if (queues.ask(queue).isAbsent()) {
          missing.add(queue + " is not there");
        }
      }
      return missing;
    } catch (ShutdownSignalException e) { // lost between two questions
      throw new IOException(e);
    } finally {
      connection.abort(CLOSE_MILLIS);
    }
  }

  private List<String> holds(Connection connection) {
    String version = String.valueOf(connection.getServerProperties().get("version"));
    BrokerFacts facts = new BrokerFacts(version, false, false, 0, broker.userName());
    Names names = new Names(routes.hold().namePrefix());
    return Topology.of(routes, facts).queues().stream()
        .map(QueueSpec::name)
        .filter(queue -> names.holds(queue) != null)
        .toList();
  }
}
