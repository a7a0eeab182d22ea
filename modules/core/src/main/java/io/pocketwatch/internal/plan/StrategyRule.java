// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.plan;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.NativeHold;
import io.pocketwatch.config.DelayLimits;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.HoldOptions.NativeMode;
import io.pocketwatch.config.HoldOptions.TopologyMode;
import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The fixed rule that selects a strategy. A message that is due is not held. Otherwise the
 * message's own strategy counts, then its route's if it can hold the delay. Next come a TTL queue
 * for a configured delay, the broker's own delay where it is to replace the wheel, and last the
 * wheel.
 */
final class StrategyRule {
  private final HoldOptions hold;
  private final BrokerCapabilities broker;
  private final boolean delayedExchange;

  StrategyRule(DelayRoutes routes, BrokerCapabilities broker) {
    this.hold = routes.hold();
    this.broker = broker;
    this.delayedExchange =
        broker.delayedExchange() && routes.asksFor(DelayStrategy.DELAYED_EXCHANGE);
  }

  /**
   * @param nativeHold the state of the connection to send on
   */
  StrategyChoice choose(Submission submission, Duration remaining, NativeHold nativeHold) {
    if (remaining.isZero() || remaining.isNegative()) {
      return new StrategyChoice(DelayStrategy.IMMEDIATE, "due already");
    }
    DelayStrategy asked = submission.message().strategy();
    if (asked != null) {
      String obstacle = obstacle(asked, submission, remaining, nativeHold);
      if (obstacle == null) {
        return new StrategyChoice(asked, "asked for by the message");
      }
      if (asked == DelayStrategy.TTL_QUEUE && submission.hasConfiguredDelay()) {
        // It could hold the delay as asked for; that sending took long is no reason to refuse.
        return new StrategyChoice(
            DelayStrategy.QUEUE_WHEEL, "the message asked for TTL_QUEUE, but " + obstacle);
      }
      if (asked == DelayStrategy.DELIVERY_TIME
          && nativeHold.isMissed()
          && wheelObstacle(submission, remaining) == null) {
        // Nodes of one cluster may differ in this, which the sender cannot know.
        return new StrategyChoice(
            DelayStrategy.QUEUE_WHEEL, "the message asked for DELIVERY_TIME, but " + obstacle);
      }
      throw new InvalidMessageException(submission.id(), asked + " cannot hold it: " + obstacle);
    }
    StrategyChoice choice = byRoute(submission, remaining, nativeHold);
    if (choice == null) {
      throw new InvalidMessageException(submission.id(), beyondAll(submission, remaining));
    }
    return choice;
  }

  /** The choice for a message that asks for no strategy; null if none can hold it for so long. */
  @Nullable StrategyChoice byRoute(
      Submission submission, Duration remaining, NativeHold nativeHold) {
    DelayRoute route = submission.route();
    String why = "";
    DelayStrategy wanted = route.strategy();
    if (wanted != null) {
      String obstacle = obstacle(wanted, submission, remaining, nativeHold);
      if (obstacle == null) {
        return new StrategyChoice(wanted, "asked for by route " + route.name());
      }
      why += "; not " + wanted + ": " + obstacle;
    }
    if (submission.hasConfiguredDelay() && wanted != DelayStrategy.TTL_QUEUE) {
      String obstacle = ttlObstacle(submission, remaining);
      if (obstacle == null) {
        return new StrategyChoice(
            DelayStrategy.TTL_QUEUE, "its delay is one of route " + route.name() + "'s" + why);
      }
      why += "; not TTL_QUEUE: " + obstacle;
    }
    if (hold.nativeMode() == NativeMode.AUTO && wanted != DelayStrategy.DELIVERY_TIME) {
      String obstacle = timeObstacle(submission, remaining, nativeHold);
      if (obstacle == null) {
        return new StrategyChoice(
            DelayStrategy.DELIVERY_TIME, "the broker holds any delay itself" + why);
      }
      why += "; not DELIVERY_TIME: " + obstacle;
    }
    return wheelObstacle(submission, remaining) == null
        ? new StrategyChoice(DelayStrategy.QUEUE_WHEEL, "any delay rides the wheel" + why)
        : null;
  }

  /** Why the strategy cannot hold the message, or null if it can. */
  private @Nullable String obstacle(
      DelayStrategy strategy, Submission submission, Duration remaining, NativeHold nativeHold) {
    return switch (strategy) {
      case STORE -> "a message is stored by its route's tracking or its distance, not by asking";
      case IMMEDIATE -> "it is not due for another " + text(remaining);
      case TTL_QUEUE -> ttlObstacle(submission, remaining);
      case QUEUE_WHEEL -> wheelObstacle(submission, remaining);
      case DELIVERY_TIME -> timeObstacle(submission, remaining, nativeHold);
      case TEMPORARY_QUEUE ->
          hold.topology() == TopologyMode.DECLARE
              ? limit(submission, remaining, longestTemporary())
              : "it would declare a queue, which pocketwatch.topology: %s leaves to others"
                  .formatted(hold.topology().name().toLowerCase(Locale.ROOT));
      case DELAYED_EXCHANGE -> {
        if (delayedExchange) {
          // Beyond its limit the plugin delivers at once, so not even rounding may exceed it.
          yield limit(submission, remaining, DelayLimits.MAX_DELAYED_EXCHANGE);
        }
        yield broker.delayedExchange()
            ? "no route names DELAYED_EXCHANGE, so its exchange was not declared"
            : "the broker has no exchange type x-delayed-message";
      }
    };
  }

  private @Nullable String wheelObstacle(Submission submission, Duration remaining) {
    // Instants are rounded up to a millisecond, for which the wheel has one step more.
    return limit(submission, remaining.truncatedTo(ChronoUnit.MILLIS), hold.wheel().maxDelay());
  }

  private static @Nullable String timeObstacle(
      Submission submission, Duration remaining, NativeHold nativeHold) {
    return nativeHold.isUsable()
        ? limit(submission, remaining, DelayLimits.MAX_TTL)
        : nativeHold.description();
  }

  private @Nullable String ttlObstacle(Submission submission, Duration remaining) {
    Duration delay = submission.delay();
    if (delay == null || !submission.hasConfiguredDelay()) {
      return "its delay is none of route %s's: %s"
          .formatted(submission.route().name(), text(submission.route().delays()));
    }
    // The queue holds for the whole delay, so time spent on the way to it would be added.
    Duration waited = delay.minus(remaining);
    return waited.compareTo(hold.wheel().resolution()) > 0
            && wheelObstacle(submission, remaining) == null
        ? "it waited " + text(waited) + " to be sent, which the queue's TTL would add"
        : null;
  }

  private static @Nullable String limit(Submission submission, Duration counted, Duration most) {
    return counted.compareTo(most) > 0
        ? "its delay is " + text(asked(submission, counted)) + ", the longest is " + text(most)
        : null;
  }

  /** The delay as the sender gave it, for messages: the remaining delay is some moments shorter. */
  private static Duration asked(Submission submission, Duration remaining) {
    Duration delay = submission.delay();
    return delay == null ? remaining : delay.plus(submission.spread());
  }

  private Duration longestTemporary() {
    // The queue's x-expires is delay + grace, and has the same limit as a TTL.
    return DelayLimits.MAX_TTL.minus(hold.temporaryQueues().grace());
  }

  private String beyondAll(Submission submission, Duration remaining) {
    DelayRoute route = submission.route();
    return "no strategy of route %s can hold a delay of %s: TTL queues %s, the wheel up to %s;"
            .formatted(
                route.name(),
                text(asked(submission, remaining)),
                text(route.delays()),
                text(hold.wheel().maxDelay()))
        + (hold.topology() == TopologyMode.DECLARE
            ? " TEMPORARY_QUEUE, if asked for, holds up to " + text(longestTemporary())
            : " TEMPORARY_QUEUE needs topology: declare");
  }

  private static List<String> text(List<Duration> durations) {
    return durations.stream().map(StrategyRule::text).toList();
  }

  private static String text(Duration duration) {
    return DurationText.format(duration.plusNanos(999_999)); // in whole milliseconds, rounded up
  }

  /** A strategy and the words for the receipt. */
  record StrategyChoice(DelayStrategy strategy, String reason) {}
}
