// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import io.pocketwatch.route.DelayRoutes;
import io.pocketwatch.route.TopologyMode;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.server.hold.BrokenHold;
import io.pocketwatch.server.hold.HoldCheck;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks at the hold queues now and then: one that is broken may not be noticed for a month. */
final class HoldWatch implements Runnable {
  static final Duration EVERY = Duration.ofMinutes(1);

  private static final Logger LOG = LoggerFactory.getLogger("serve");

  private final NamedBroker broker;
  private final Supplier<DelayRoutes> routes;
  private volatile List<String> broken = List.of();

  HoldWatch(NamedBroker broker, Supplier<DelayRoutes> routes) {
    this.broker = broker;
    this.routes = routes;
  }

  @Override
  public void run() {
    DelayRoutes now = routes.get();
    if (now.hold().topology() != TopologyMode.DECLARE) {
      return; // the check needs a binding, which is not ours to make
    }
    try {
      List<String> found =
          new HoldCheck(broker, now).look().broken().stream().map(BrokenHold::words).toList();
      if (!found.isEmpty() && !found.equals(broken)) {
        LOG.error("Hold queues are broken; see: pocketwatch repair. {}", found);
      }
      broken = found;
    } catch (IOException | TimeoutException e) {
      LOG.debug("The hold queues cannot be asked", e); // health says so by the connection
    }
  }

  /** A sentence for each queue that did not take a message. */
  List<String> broken() {
    return broken;
  }
}
