// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.setup;

import io.pocketwatch.BrokerClock;
import io.pocketwatch.NativeHold;
import io.pocketwatch.PublisherEvent;
import io.pocketwatch.internal.plan.DelayPlanner;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.spi.PublisherSettings;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The known facts about the broker, and a planner for it; new ones on each connection. Thread-safe.
 */
public final class KnownBroker {
  private static final Logger LOG = LoggerFactory.getLogger(KnownBroker.class);

  private final PublisherSettings settings;
  private final Runnable whenConnected;
  private volatile DelayPlanner planner;
  private volatile @Nullable BrokerClock clock;

  /**
   * @param userName the user of our connections
   * @param whenConnected called for each connection, before messages are sent on it
   */
  public KnownBroker(PublisherSettings settings, String userName, Runnable whenConnected) {
    this.settings = settings;
    this.whenConnected = whenConnected;
    BrokerCapabilities unknown = BrokerCapabilities.unknown(userName);
    this.planner =
        new DelayPlanner(
            settings.routes(),
            settings.routes().asksForNative()
                ? unknown.with(NativeHold.notUsable("there was no connection yet", null))
                : unknown);
  }

  public DelayPlanner planner() {
    return planner;
  }

  /** The broker's clock; empty until a probe has shown it. */
  public Optional<BrokerClock> clock() {
    return Optional.ofNullable(clock);
  }

  void connected(BrokerCapabilities capabilities) {
    replace(capabilities);
    whenConnected.run();
  }

  void holdsByTime(NativeHold hold) {
    replace(planner.broker().with(hold));
  }

  private void replace(BrokerCapabilities capabilities) {
    planner = new DelayPlanner(settings.routes(), capabilities);
    settings.listener().onEvent(new PublisherEvent.NativeHoldSeen(capabilities.nativeHold()));
  }

  void clockSeen(BrokerClock seen) {
    if (seen.isWrong()) {
      LOG.warn("{}; messages may be early or late, see Clocks in the manual", seen.description());
    }
    clock = seen;
    settings.listener().onEvent(new PublisherEvent.BrokerClockSeen(seen));
  }
}
