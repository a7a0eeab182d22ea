// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.deadletter;

import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.base.Channels;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.probe.PolicyProbe;
import io.pocketwatch.server.broker.NamedBroker;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeoutException;

/** Looks at what policies do to our queues: one may be set long after they were declared. */
public final class PolicyCheck {
  /** One for the process; see {@link PolicyProbe}. */
  private static final String TOKEN = UUID.randomUUID().toString();

  private static final Duration HELD = Duration.ofSeconds(2);

  private final NamedBroker broker;
  private final DelayRoutes routes;

  /**
   * @param routes a configuration whose exchanges and queues are declared
   */
  public PolicyCheck(NamedBroker broker, DelayRoutes routes) {
    this.broker = broker;
    this.routes = routes;
  }

  /**
   * Checks, for two seconds.
   *
   * @return what policies do and what helps, or nothing
   * @throws IOException if the broker cannot be asked
   */
  public Optional<String> look() throws IOException, TimeoutException {
    return Channels.use(
        broker.connect("pocketwatch policy check"),
        connection -> {
          try (PolicyProbe probe =
              new PolicyProbe(connection, routes.hold(), TOKEN, Scheduler.SYSTEM)) {
            probe.begin();
            return probe.end(HELD);
          }
        });
  }
}
