// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.internal.base.Ranges;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A route: a target, and the policy for messages to it. Immutable. */
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
   * A builder for a route; set an exchange, a routing key, or both.
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

  /** The pauses of retries; null if not set, which for callbacks is not the same as empty. */
  public @Nullable List<Duration> retries() {
    return values.retries;
  }

  public UserExpiration userExpiration() {
    return values.userExpiration;
  }

  /** Whether each message of this route has a row, however soon it is due. */
  public boolean tracked() {
    return tracking() != Tracking.NONE;
  }

  public Tracking tracking() {
    return values.tracking;
  }

  public @Nullable Duration handoffBefore() {
    return values.handoffBefore;
  }

  public @Nullable Integer insertLimit() {
    return values.insertLimit;
  }

  /** Sets options; the others keep their defaults. Not thread-safe. */
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
    private Tracking tracking = Tracking.NONE;
    private @Nullable Duration handoffBefore;
    private @Nullable Integer insertLimit;

    private Builder(String name) {
      this.name = name;
    }

    /** Takes over what routes inherit from the defaults: all but the target and the delays. */
    Builder inherit(DelayRoute defaults) {
      strategy = defaults.strategy();
      resolution = defaults.resolution();
      spread = defaults.spread();
      isolation = defaults.isolation();
      retries = defaults.retries();
      userExpiration = defaults.userExpiration();
      tracking = defaults.tracking();
      handoffBefore = defaults.handoffBefore();
      insertLimit = defaults.insertLimit();
      return this;
    }

    /** The target exchange; empty is the default exchange. */
    public Builder exchange(String exchange) {
      this.exchange = exchange;
      return this;
    }

    /** The target routing key; unless set, the route is for any key of its exchange. */
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

    /** The strategy to use, where it can hold the delay, in place of the selection rule. */
    public Builder strategy(DelayStrategy strategy) {
      if (strategy == DelayStrategy.IMMEDIATE || strategy == DelayStrategy.STORE) {
        throw new IllegalArgumentException(
            "route '" + name + "': " + strategy + " is not a way to hold; leave it out");
      }
      this.strategy = strategy;
      return this;
    }

    /**
     * The unit to which delays are rounded up on the wheel, 1 ms to 1 min, in place of the wheel's
     * resolution. If it is one of the wheel's hands, messages take no hop in finer hands.
     */
    public Builder resolution(Duration resolution) {
      String most = DurationText.format(DelayLimits.MAX_RESOLUTION);
      this.resolution = DelayLimits.wholeMillis("resolution", resolution, "1ms", most);
      return this;
    }

    /** The delay of messages without one, 1 ms to 3650 d; unless set, they are sent at once. */
    public Builder defaultDelay(Duration defaultDelay) {
      this.defaultDelay = DelayLimits.requireTtl(defaultDelay);
      return this;
    }

    /**
     * The time over which delayed messages are spread, 0 to 1 d, so that those due at one instant
     * do not all come at once. Each is due later by a part of it, in whole milliseconds. The id
     * alone decides the part, so a message sent again has the same one. The parts are evenly
     * distributed. Zero, the default, spreads nothing.
     */
    public Builder spread(Duration spread) {
      this.spread = DelayLimits.wholeMillis("spread", spread, "0s", "1d");
      return this;
    }

    /** Whether each destination has an out queue of its own. */
    public Builder isolation(Isolation isolation) {
      this.isolation = isolation;
      return this;
    }

    /**
     * The pauses after which a guarded consumer gets a failed message again, at most 20, each 1 ms
     * to 3650 d. When they are used up, the message ends as it would without retries. By default
     * there are none, except for the server's callbacks.
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

    /** What to do with a message that has an expiration of its own. */
    public Builder userExpiration(UserExpiration userExpiration) {
      this.userExpiration = userExpiration;
      return this;
    }

    /** How long the database keeps a row of each message. */
    public Builder tracking(Tracking tracking) {
      this.tracking = tracking;
      return this;
    }

    /**
     * Keeps the message in the database until this long before it is due, 1 s to 31 d. Unless set,
     * it is handed off once it is within the horizon. Without effect on {@code FULL}, where a
     * message is kept until it is due.
     */
    public Builder handoffBefore(Duration handoffBefore) {
      this.handoffBefore = Ranges.within("handoff-before", handoffBefore, "1s", "31d");
      return this;
    }

    /**
     * The most new rows per second and process, 1 to 1,000,000. Beyond that a message is rejected.
     */
    public Builder insertLimit(int insertLimit) {
      this.insertLimit = Ranges.within("insert-limit", insertLimit, 1, 1_000_000);
      return this;
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

  /** Whether a destination that takes no messages can delay those for others. */
  public enum Isolation {
    /**
     * Hold queues are shared and dead-letter straight to the destination. A destination that
     * rejects (a full {@code reject-publish} queue) or is unavailable can delay the others.
     */
    SHARED,

    /** Each destination has an out queue of its own: one hop more, but it delays only itself. */
    DESTINATION
  }

  /**
   * What to do with a message that carries an {@code expiration} of its own. Dead-lettering would
   * remove it.
   */
  public enum UserExpiration {
    /** Refuse the message. */
    REJECT,

    /** Send it without its expiration. */
    DROP
  }

  /** How long a database keeps a copy of each message of a route. */
  public enum Tracking {
    /**
     * A row is kept only while the message is due beyond the horizon. It is deleted when the broker
     * has confirmed the message.
     */
    NONE,
    /**
     * A message is tracked until the broker has confirmed it; after that its row is only evidence.
     * It can be cancelled and rescheduled until it is handed off. Messages on the broker are lost
     * with its disk.
     */
    HANDOFF,
    /**
     * The store holds the message until it is due, and its row until its consumer has settled it.
     * It can be cancelled and rescheduled until then, and an effect happens only once.
     */
    FULL
  }
}
