// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.deadletter;

import com.rabbitmq.client.Connection;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.base.Channels;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.internal.topology.ExchangeSpec;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.internal.topology.QueueSpec;
import io.pocketwatch.internal.topology.Topology;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.server.broker.PassiveDeclares;
import io.pocketwatch.server.broker.WheelPresence;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;

/**
 * Finds missing exchanges and queues on the way out of a hold. No probe shows that one was deleted:
 * it is then stuck or dropped, or cannot be sent at all.
 */
public final class MissingParts {
  private final Connection connection;
  private final DelayRoutes routes;
  private final BrokerCapabilities facts;

  /**
   * @param facts without {@code localRandomExchange}: a broker may lack the exchanges before its
   *     sinks, and does without
   */
  MissingParts(Connection connection, DelayRoutes routes, BrokerCapabilities facts) {
    this.connection = connection;
    this.routes = routes;
    this.facts = facts;
  }

  /**
   * Name and state of each missing part, in words; for {@code topology: verify}. Declares, binds,
   * publishes and deletes nothing. So it does not see a queue that exists but takes no messages:
   * {@link HoldCheck} does.
   *
   * @throws IOException if the broker cannot be asked
   */
  public static List<String> words(NamedBroker broker, DelayRoutes routes)
      throws IOException, TimeoutException {
    return Channels.use(
        broker.connect("pocketwatch hold check"),
        connection ->
            new MissingParts(connection, routes, broker.capabilities(connection))
                .find(true, false).parts().stream().map(each -> each + " is not there").toList());
  }

  /**
   * Finds the missing parts.
   *
   * @param wheel whether the wheel was declared
   * @param probed whether probes look after the hold queues
   */
  Missing find(boolean wheel, boolean probed) throws IOException {
    Topology whole = wheel ? Topology.of(routes, facts) : Topology.withoutWheel(routes, facts);
    Names names = new Names(routes.hold().namePrefix());
    PassiveDeclares queues = new PassiveDeclares(connection);
    List<String> missing = new ArrayList<>();
    for (ExchangeSpec exchange : whole.exchanges()) {
      if (!WheelPresence.isThere(connection, exchange.name())) {
        missing.add("exchange " + exchange.name());
      }
    }
    boolean all = missing.size() == whole.exchanges().size();
    for (QueueSpec queue : whole.queues()) {
      if (all || probed && names.holds(queue.name()) != null) {
        continue;
      }
      if (queues.ask(queue.name()).isAbsent()) {
        missing.add(queue.name());
      }
    }
    return new Missing(missing, all);
  }

  /**
   * Exchanges and queues that are not there.
   *
   * @param parts queues by their names, an exchange with a word before it
   * @param all whether all are missing, as where nothing was ever declared
   */
  public record Missing(List<String> parts, boolean all) {
    static final Missing NOTHING = new Missing(List.of(), false);

    public Missing {
      parts = List.copyOf(parts);
    }
  }
}
