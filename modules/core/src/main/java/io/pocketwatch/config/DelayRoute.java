// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.config.StorePolicy.Tracking;
import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.internal.base.Ranges;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A configured target and the policy for messages to it. */
public final class DelayRoute {
  /** The name of the route of messages that match no other. */
  public static final String DEFAULTS = "defaults";

  private static final int MOST_RETRIES = 20;

  private final Builder values;

  private DelayRoute(Builder builder) {
    values = builder.copy();
    if (name().isBlank()) {
      throw new IllegalArgumentException("a route's name is blank");
    }
    boolean anyKey = routingKey() == null || routingKey().isEmpty();
    if (exchange().isEmpty() && anyKey && !name().equals(DEFAULTS)) {
      throw new IllegalArgumentException(
          "route '"
              + name()
              + "' has neither exchange nor routing-key; name the exchange, or a queue as"
              + " routing-key");
    }
    if (!spread().isZero() && !delays().isEmpty()) {
      throw new IllegalArgumentException(
          ("route '%s' has delays and a spread of %s, and a TTL queue holds all for equally long."
                  + " Leave out delays, or set spread to 0s")
              .formatted(name(), DurationText.format(spread())));
    }
  }

  /** The policy of messages that match no route, before anything is configured. */
  public static DelayRoute defaults() {
    return builder(DEFAULTS).build();
  }

  /**
   * A route to the exchange, the routing key or both that it is given next.
   *
   * @param name unique among the routes
   */
  public static Builder builder(String name) {
    return new Builder(name);
  }

  public Builder toBuilder() {
    return values.copy();
  }

  public String name() {
    return values.name;
  }

  public String exchange() {
    return values.exchange;
  }

  public @Nullable String routingKey() {
    return values.routingKey;
  }

  public List<Duration> delays() {
    return values.delays;
  }

  public @Nullable DelayStrategy strategy() {
    return values.strategy;
  }

  public @Nullable Duration resolution() {
    return values.resolution;
  }

  public @Nullable Duration defaultDelay() {
    return values.defaultDelay;
  }

  public Duration spread() {
    return values.spread;
  }

  public Isolation isolation() {
    return values.isolation;
  }

  /** Null if it names none, which is not the same as naming an empty list where it calls back. */
  public @Nullable List<Duration> retries() {
    return values.retries;
  }

  public UserExpiration userExpiration() {
    return values.userExpiration;
  }

  public StorePolicy store() {
    return values.store;
  }

  /** Sets options; those not named keep their defaults. One thread uses it. */
  public static final class Builder extends CopiedBuilder<Builder> {
    private final String name;
    private String exchange = "";
    private @Nullable String routingKey;
    private List<Duration> delays = List.of();
    private @Nullable DelayStrategy strategy;
    private @Nullable Duration resolution;
    private @Nullable Duration defaultDelay;
    private Duration spread = Duration.ZERO;
    private Isolation isolation = Isolation.SHARED;
    private @Nullable List<Duration> retries;
    private UserExpiration userExpiration = UserExpiration.REJECT;
    private StorePolicy store = StorePolicy.defaults();

    private Builder(String name) {
      this.name = name;
    }

    /** What the defaults give to every route: all but delays. */
    Builder inherit(DelayRoute defaults) {
      strategy = defaults.strategy();
      resolution = defaults.resolution();
      spread = defaults.spread();
      isolation = defaults.isolation();
      retries = defaults.retries();
      userExpiration = defaults.userExpiration();
      return this;
    }

    /** The target exchange; empty is the default exchange. */
    public Builder exchange(String exchange) {
      this.exchange = exchange;
      return this;
    }

    /** The target routing key; otherwise it is a route for any key of that exchange. */
    public Builder routingKey(String routingKey) {
      this.routingKey = routingKey;
      return this;
    }

    /** Delays with a TTL queue of their own, each 1 ms to 3650 d. */
    public Builder delays(Duration... delays) {
      TreeSet<Duration> sorted = new TreeSet<>();
      for (Duration delay : delays) {
        sorted.add(DelayLimits.requireTtl(delay));
      }
      this.delays = List.copyOf(sorted);
      return this;
    }

    /** The strategy to use where it can hold the delay, in place of the selection rule. */
    public Builder strategy(DelayStrategy strategy) {
      if (strategy == DelayStrategy.IMMEDIATE || strategy == DelayStrategy.STORE) {
        throw new IllegalArgumentException(
            "route '" + name + "': " + strategy + " is not a way to hold; leave it out");
      }
      this.strategy = strategy;
      return this;
    }

    /**
     * What its delays are rounded up to on the wheel, 1 ms to 1 min, in place of the wheel's own
     * resolution. If it is one of the wheel's hands, messages make no hop below it.
     */
    public Builder resolution(Duration resolution) {
      String most = DurationText.format(DelayLimits.MAX_RESOLUTION);
      this.resolution = DelayLimits.wholeMillis("resolution", resolution, "1ms", most);
      return this;
    }

    /** The delay of a message that has none; otherwise it is sent at once. */
    public Builder defaultDelay(Duration defaultDelay) {
      this.defaultDelay = DelayLimits.requireTtl(defaultDelay);
      return this;
    }

    /**
     * How far its delayed messages are spread, 0 to 1 d, so that what is due at one instant does
     * not come at once. Each is due later by a part of the spread, in whole milliseconds. Its id
     * alone decides the part, so that it is the same however often the message is sent. The parts
     * are evenly distributed. Zero, the default, spreads nothing.
     */
    public Builder spread(Duration spread) {
      this.spread = DelayLimits.wholeMillis("spread", spread, "0s", "1d");
      return this;
    }

    /** Whether the destination has an out queue of its own. */
    public Builder isolation(Isolation isolation) {
      this.isolation = isolation;
      return this;
    }

    /**
     * The pauses after which a guarded consumer gets a failed message again, at most 20, each 1 ms
     * to 3650 d. When they are used up, the message ends as it would without retries. By default
     * there are none; a server that calls back has some of its own.
     */
    public Builder retries(Duration... retries) {
      Ranges.require(
          retries.length <= MOST_RETRIES,
          "retries of " + retries.length,
          "at most " + MOST_RETRIES);
      for (Duration pause : retries) {
        DelayLimits.requireTtl(pause);
      }
      this.retries = List.of(retries);
      return this;
    }

    /** What to do with a message's own expiration. */
    public Builder userExpiration(UserExpiration userExpiration) {
      this.userExpiration = userExpiration;
      return this;
    }

    /** How its messages are kept in the database, if there is one. */
    public Builder store(StorePolicy store) {
      this.store = store;
      return this;
    }

    /** Keeps rows of its messages in the database for so long. */
    public Builder tracking(Tracking tracking) {
      return store(store.toBuilder().tracking(tracking).build());
    }

    /**
     * Makes the route.
     *
     * @throws IllegalArgumentException if it has neither an exchange nor a routing key, or both
     *     delays and a spread
     */
    public DelayRoute build() {
      return new DelayRoute(this);
    }
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
}
