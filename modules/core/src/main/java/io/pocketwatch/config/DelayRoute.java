// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.config.StorePolicy.Tracking;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A configured target and the policy for messages to it.
 *
 * @param name the route's name, unique
 * @param exchange the target exchange; empty is the default exchange
 * @param routingKey the target routing key, or null for any key of that exchange
 * @param delays delays with a TTL queue of their own, each 1 ms to 3650 d
 * @param strategy the strategy to use where it can hold the delay, or null for the selection rule
 * @param resolution what its delays are rounded up to on the wheel, 1 ms to 1 min, or null for the
 *     wheel's own: with one of the wheel's hands a message makes no hop below it
 * @param defaultDelay the delay of a message that has none, or null to send it at once
 * @param isolation whether the destination has an out queue of its own
 * @param userExpiration what to do with a message's own expiration
 * @param store how its messages are kept in the database, if there is one
 */
public record DelayRoute(
    String name,
    String exchange,
    @Nullable String routingKey,
    List<Duration> delays,
    @Nullable DelayStrategy strategy,
    @Nullable Duration resolution,
    @Nullable Duration defaultDelay,
    Isolation isolation,
    UserExpiration userExpiration,
    StorePolicy store) {
  /** The name of the route of messages that match no other. */
  public static final String DEFAULTS = "defaults";

  public DelayRoute {
    if (name.isBlank()) {
      throw new IllegalArgumentException("a route's name is blank");
    }
    boolean anyKey = routingKey == null || routingKey.isEmpty();
    if (exchange.isEmpty() && anyKey && !name.equals(DEFAULTS)) {
      throw new IllegalArgumentException(
          "route '"
              + name
              + "' has neither exchange nor routing-key; name the exchange, or a queue as routing-key");
    }
    if (strategy == DelayStrategy.IMMEDIATE || strategy == DelayStrategy.STORE) {
      throw new IllegalArgumentException(
          "route '" + name + "': " + strategy + " is not a way to hold; leave it out");
    }
    delays.forEach(DelayLimits::requireTtl);
    delays = List.copyOf(new TreeSet<>(delays));
    if (resolution != null) {
      DelayLimits.requireResolution(resolution);
    }
    if (defaultDelay != null) {
      DelayLimits.requireTtl(defaultDelay);
    }
  }

  /** A route to an exchange, for every routing key. */
  public static DelayRoute toExchange(String name, String exchange) {
    return new DelayRouteDraft(name, exchange, null).route();
  }

  /** A route to one routing key of an exchange. */
  public static DelayRoute to(String name, String exchange, String routingKey) {
    return new DelayRouteDraft(name, exchange, routingKey).route();
  }

  /** The policy of messages that match no route, before anything is configured. */
  public static DelayRoute defaults() {
    return toExchange(DEFAULTS, "");
  }

  public DelayRoute withDelays(Duration... delays) {
    return with(draft -> draft.delays = List.of(delays));
  }

  public DelayRoute withStrategy(DelayStrategy strategy) {
    return with(draft -> draft.strategy = strategy);
  }

  public DelayRoute withResolution(Duration resolution) {
    return with(draft -> draft.resolution = resolution);
  }

  public DelayRoute withDefaultDelay(Duration defaultDelay) {
    return with(draft -> draft.defaultDelay = defaultDelay);
  }

  public DelayRoute withIsolation(Isolation isolation) {
    return with(draft -> draft.isolation = isolation);
  }

  public DelayRoute withUserExpiration(UserExpiration userExpiration) {
    return with(draft -> draft.userExpiration = userExpiration);
  }

  /** Keeps rows of its messages in the database for so long. */
  public DelayRoute withTracking(Tracking tracking) {
    return withStore(store.withTracking(tracking));
  }

  public DelayRoute withStore(StorePolicy store) {
    return with(draft -> draft.store = store);
  }

  private DelayRoute with(Consumer<DelayRouteDraft> change) {
    DelayRouteDraft draft = new DelayRouteDraft(this);
    change.accept(draft);
    return draft.route();
  }

  /** What happens to other destinations when one destination takes nothing. */
  public enum Isolation {
    /**
     * Hold queues are shared and release straight to the destination. A destination that rejects (a
     * full {@code reject-publish} queue) or is unavailable can delay the others.
     */
    SHARED,

    /** Each destination has an out queue of its own: one hop more, and it delays only itself. */
    DESTINATION
  }

  /**
   * What to do with a message that carries an {@code expiration} of its own. It cannot survive
   * dead-lettering: the broker removes it.
   */
  public enum UserExpiration {
    /** Refuse the message. */
    REJECT,

    /** Send it without its expiration. */
    DROP
  }

  /** A route on its way to being one, used by one thread. */
  static final class DelayRouteDraft {
    private final String name;
    private final String exchange;
    private final @Nullable String routingKey;
    List<Duration> delays = List.of();
    @Nullable DelayStrategy strategy;
    @Nullable Duration resolution;
    @Nullable Duration defaultDelay;
    Isolation isolation = Isolation.SHARED;
    UserExpiration userExpiration = UserExpiration.REJECT;
    StorePolicy store = StorePolicy.defaults();

    DelayRouteDraft(String name, String exchange, @Nullable String routingKey) {
      this.name = name;
      this.exchange = exchange;
      this.routingKey = routingKey;
    }

    DelayRouteDraft(DelayRoute route) {
      this(route.name(), route.exchange(), route.routingKey());
      delays = route.delays();
      strategy = route.strategy();
      resolution = route.resolution();
      defaultDelay = route.defaultDelay();
      isolation = route.isolation();
      userExpiration = route.userExpiration();
      store = route.store();
    }

    DelayRoute route() {
      return new DelayRoute(
          name,
          exchange,
          routingKey,
          delays,
          strategy,
          resolution,
          defaultDelay,
          isolation,
          userExpiration,
          store);
    }
  }
}
