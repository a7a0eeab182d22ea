// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Delivery;
import io.pocketwatch.guard.ChannelUse;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardedChannel;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.server.config.CallbackSettings;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A route with callbacks. Trouble with its queue does not affect the other routes. */
final class CallbackRoute {
  /** The retries of a route that names none: targets are often away for a moment. */
  private static final List<Duration> RETRIES =
      List.of(
          Duration.ofSeconds(1),
          Duration.ofSeconds(10),
          Duration.ofMinutes(1),
          Duration.ofMinutes(10));

  private static final Logger LOG = LoggerFactory.getLogger("serve");

  private final CallbackSettings settings;
  private final DeliveryGuard guard;
  private final Workers workers;
  private final HttpTarget target;
  private final CallbackCounts counts;
  private @Nullable Connection connection;
  private @Nullable CallbackSubscription subscription;
  private volatile @Nullable String complaint;

  /**
   * @param environment variables that may name its secret
   */
  CallbackRoute(CallbackSettings settings, Map<String, String> environment, DeliveryGuard guard) {
    this.settings = settings;
    this.guard = guard;
    this.workers = new Workers(settings);
    this.target = new HttpTarget(settings, environment);
    this.counts = new CallbackCounts(settings);
  }

  CallbackSettings settings() {
    return settings;
  }

  String name() {
    return settings.route();
  }

  HttpTarget target() {
    return target;
  }

  Instant now() {
    return guard.now();
  }

  Workers workers() {
    return workers;
  }

  CallbackCounts counts() {
    return counts;
  }

  /** Why there are no calls although the broker is connected, or null. */
  @Nullable String complaint() {
    return complaint;
  }

  /**
   * Begins to consume if it does not, or no longer does. Must not run on two threads at once.
   *
   * @param declare whether queues may be made
   */
  void look(Connection current, boolean declare) {
    if (subscription != null) {
      String problem = subscription.problem();
      if (problem == null) {
        return;
      }
      if (connection == current) { // a lost connection concerns all routes
        LOG.warn("Callbacks of route {} begin anew: {}", settings.route(), problem);
      }
      subscription.close();
      subscription = null;
    }
    connection = current;
    try {
      guard.requireConsumer(settings.queue());
      subscription =
          CallbackSubscription.begin(
              current,
              declare,
              settings.queue(),
              new Names(guard.options().namePrefix()).parked(settings.queue()),
              settings.concurrency(),
              (channel, parked) -> new CallbackConsumer(guarded(channel, parked), this, parked));
      complaint = null;
    } catch (IOException | RuntimeException e) {
      complain(current, e);
    }
  }

  /** Begins no more calls. {@link #look} must not be called after it. */
  void cancel() {
    if (subscription != null) {
      subscription.cancel();
    }
  }

  private GuardedChannel guarded(Channel channel, ParkedQueue parked) {
    return guard.guard(
        channel,
        ChannelUse.plain()
            .withReportedStart()
            .withLeastAhead(settings.concurrency())
            .withRetries(RETRIES)
            .withUnholdable((message, why) -> kept(parked, message, why)));
  }

  private boolean kept(ParkedQueue parked, Delivery message, String reason) {
    try {
      LOG.warn("A message of route {} is parked: {}", settings.route(), reason);
      boolean kept = parked.keep(message, reason);
      if (kept) {
        counts.parked();
      }
      return kept;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the server stops
      return false;
    }
  }

  /** Logs each problem once; a lost connection is not the route's own problem. */
  private void complain(Connection current, Exception trouble) {
    String words = ErrorWords.of(trouble);
    if (current.isOpen() && !words.equals(complaint)) {
      LOG.warn("Callbacks of route {} wait: {}", settings.route(), words);
      complaint = words;
    }
  }
}
