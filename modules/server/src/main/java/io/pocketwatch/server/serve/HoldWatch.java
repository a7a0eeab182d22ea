// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import io.pocketwatch.BrokerClock;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.PublisherEvent;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.base.BrokerError;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.probe.PublishersBlockedException;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.server.deadletter.HoldCheck;
import io.pocketwatch.server.deadletter.HoldCheck.Found;
import io.pocketwatch.server.deadletter.MissingParts;
import io.pocketwatch.server.deadletter.PolicyCheck;
import io.pocketwatch.server.deadletter.StuckHolds;
import io.pocketwatch.server.view.Notice;
import io.pocketwatch.server.view.Notice.Code;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks the hold queues every minute: otherwise a broken one may go unnoticed for a month. */
final class HoldWatch implements Runnable {
  static final Duration EVERY = Duration.ofMinutes(1);

  private static final Logger LOG = LoggerFactory.getLogger("serve");

  private final NamedBroker broker;
  private final Supplier<DelayRoutes> routes;
  private final PocketwatchListener listener;
  private final StuckHolds stuck = new StuckHolds();
  private volatile Look look = Look.UNBROKEN;
  private boolean refused;
  private Duration warned = Duration.ZERO;

  /**
   * @param listener is notified of the clocks of the broker's nodes
   */
  HoldWatch(NamedBroker broker, Supplier<DelayRoutes> routes, PocketwatchListener listener) {
    this.broker = broker;
    this.routes = routes;
    this.listener = listener;
  }

  @Override
  public void run() {
    try {
      Look found = lookAt(routes.get());
      if (!found.broken().isEmpty() && !found.broken().equals(look.broken())) {
        LOG.error("{}; all: {}", found.notice().text(), found.broken());
      }
      look = found;
      refused = false;
    } catch (PublishersBlockedException e) {
      look = look.blocked(e.why());
    } catch (IOException | TimeoutException e) {
      look = look.untested(ErrorWords.of(e));
      if (BrokerError.refused(e) && !refused) {
        refused = true;
        LOG.warn("The hold queues are not looked at, the broker refuses: {}", ErrorWords.of(e));
      }
      LOG.debug("The hold queues cannot be asked", e);
    }
  }

  private Look lookAt(DelayRoutes now) throws IOException, TimeoutException {
    return switch (now.hold().topology()) {
      case DECLARE -> {
        Found found = new HoldCheck(broker, now).look();
        found.clock().ifPresent(clock -> heard(clock, found));
        String harm = new PolicyCheck(broker, now).look().orElse(null);
        if (harm != null && !harm.equals(look.policies())) {
          LOG.error("{}", harm);
        }
        yield new Look(
            found.words(stuck.lasting(found.broken(), Instant.now())),
            Code.HOLDS_BROKEN,
            null,
            null,
            found.wrongClock().orElse(null),
            harm);
      }
      // Without its binding, which it may not make here, the check's messages would be unroutable.
      case VERIFY -> new Look(MissingParts.words(broker, now), Code.HOLDS_MISSING);
      case ASSUME -> Look.UNBROKEN; // the broker is not asked
    };
  }

  /** Logs the clock again when it has changed enough. */
  private void heard(BrokerClock clock, Found found) {
    listener.onEvent(new PublisherEvent.BrokerClockSeen(clock));
    Duration now = clock.isWrong() ? clock.ahead() : Duration.ZERO;
    if (now.minus(warned).abs().compareTo(BrokerClock.LIMIT) > 0) {
      warned = now;
      found
          .wrongClock()
          .ifPresentOrElse(
              notice -> LOG.warn("{}", notice.text()),
              () -> LOG.info("The broker's clock is right again"));
    }
  }

  Look look() {
    return look;
  }

  /**
   * The result of a check.
   *
   * @param broken a sentence for each faulty queue
   * @param remedy the remedy for a person, if any is broken
   * @param blocked why the broker takes no messages at all now, or null
   * @param untested why the queues could not be checked now, or null; the rest is of the last check
   * @param wrongClock what is wrong with the clocks of the nodes that lead them, or null
   * @param policies what policies do to our queues and what helps, or null if they do no harm
   */
  record Look(
      List<String> broken,
      Code remedy,
      @Nullable String blocked,
      @Nullable String untested,
      @Nullable Notice wrongClock,
      @Nullable String policies) {
    static final Look UNBROKEN = new Look(List.of(), Code.HOLDS_BROKEN);

    Look {
      broken = List.copyOf(broken);
    }

    Look(List<String> broken, Code remedy) {
      this(broken, remedy, null, null, null, null);
    }

    /** The warning, if any queue is broken. */
    Notice notice() {
      return Notice.of(remedy, "count", broken.size()).and("first", broken.get(0));
    }

    private Look blocked(String why) {
      return new Look(broken, remedy, why, null, wrongClock, policies);
    }

    private Look untested(String why) {
      return new Look(broken, remedy, null, why, wrongClock, policies);
    }
  }
}
