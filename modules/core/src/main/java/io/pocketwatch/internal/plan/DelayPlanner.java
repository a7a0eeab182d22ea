// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.plan;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.NativeHold;
import io.pocketwatch.config.DelayLimits;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.internal.plan.StrategyRule.StrategyChoice;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides where and how a message is published. No I/O: the broker is known by its {@link
 * BrokerCapabilities}, the time is passed in. Immutable and thread-safe.
 *
 * <p>{@link #accept} fixes id, route and instant of a message. {@link #plan} checks it, picks the
 * strategy and lays out the hold, the steering keys and the properties. A submission may be planned
 * again later, and is then held for less time.
 */
public final class DelayPlanner {
  private final DelayRoutes routes;
  private final BrokerCapabilities broker;
  private final StrategyRule rule;
  private final HoldPaths paths;
  private final MessageRules rules;
  private final boolean holdsByTime;

  public DelayPlanner(DelayRoutes routes, BrokerCapabilities broker) {
    this.routes = routes;
    this.broker = broker;
    this.rule = new StrategyRule(routes, broker);
    this.paths = new HoldPaths(routes, broker);
    this.rules = new MessageRules(routes, broker);
    this.holdsByTime = broker.nativeHold().isUsable();
  }

  /** The broker that is planned for. */
  public BrokerCapabilities broker() {
    return broker;
  }

  /**
   * Fixes all that must stay the same however often the message is tried.
   *
   * @throws InvalidMessageException if the named route is unknown, the id is unusable or the
   *     instant is after {@link DelayLimits#LATEST}
   */
  public Submission accept(DelayedMessage message, Instant now) {
    String id = message.id() == null ? MessageIds.next(now) : message.id();
    MessageRules.requireAcceptable(id, message);
    DelayRoute route = route(id, message);
    boolean asksElse = message.delay() != null || message.deliverAt() != null;
    // The header of an ended hold must not contradict a new delay, although the broker's clock may
    // be ahead of ours. Without a delay the header counts, since it may have been set anew.
    Instant ended = asksElse ? now.plus(NativeHold.CLOCK_LIMIT) : now;
    Instant time = DeliveryTime.read(id, message.properties(), ended);
    boolean byTime = time != null && !asksElse;
    Instant deliverAt = byTime ? time : message.deliverAt();
    Duration delay = deliverAt == null ? delay(message, route) : null;
    Duration spread = spread(id, route, delay);
    Instant asked;
    Instant due;
    try {
      asked = due(deliverAt, delay, now);
      due = asked.plus(spread);
    } catch (DateTimeException | ArithmeticException e) {
      throw new InvalidMessageException(
          id, "its delay is beyond any calendar; the latest allowed: " + DelayLimits.LATEST, e);
    }
    if (due.isAfter(DelayLimits.LATEST)) {
      throw new InvalidMessageException(
          id, "it would be due at %s; the latest allowed: %s".formatted(due, DelayLimits.LATEST));
    }
    if (time != null && !byTime && !asked.equals(time)) {
      throw new InvalidMessageException(
          id,
          "its header %s asks for %s, but its %s for %s; leave one out"
              .formatted(DeliveryTime.HEADER, time, delay == null ? "deliverAt" : "delay", asked));
    }
    int generation = route.tracked() ? 1 : 0;
    return new Submission(message, id, route, delay, due, spread, generation);
  }

  /**
   * The part of the spread, by the id alone, so that a message sent again for the same instant is
   * due at the same time. A zero delay is not spread; a past instant is, since the message may be
   * sent again.
   */
  private static Duration spread(String id, DelayRoute route, @Nullable Duration delay) {
    boolean atOnce = delay != null && (delay.isZero() || delay.isNegative());
    return atOnce ? Duration.ZERO : Spread.part(id, route.spread());
  }

  /** An instant too long ago for any calendar becomes now. */
  private static Instant due(@Nullable Instant deliverAt, @Nullable Duration delay, Instant now) {
    // A delay counts from the whole millisecond. Its fraction would cost the wheel one more wait,
    // and put the instant after the end of a TTL queue's hold.
    Instant start = now.truncatedTo(ChronoUnit.MILLIS);
    try {
      return wholeMillis(delay == null ? Objects.requireNonNull(deliverAt) : start.plus(delay));
    } catch (DateTimeException | ArithmeticException e) {
      boolean past =
          delay == null ? Objects.requireNonNull(deliverAt).isBefore(start) : delay.isNegative();
      if (past) {
        return start;
      }
      throw e;
    }
  }

  /** Whether the publisher's own connection holds messages by their delivery time. */
  public boolean holdsByTime() {
    return holdsByTime;
  }

  /**
   * Plans a submission as of now, for the publisher's own connection.
   *
   * @throws InvalidMessageException if the message cannot be sent as it is, naming the limit
   */
  public PublishPlan plan(Submission submission, Instant now) {
    return plan(submission, now, holdsByTime);
  }

  /**
   * As {@link #plan(Submission, Instant)}, for any connection.
   *
   * @param byTime whether that connection holds messages by their delivery time
   */
  public PublishPlan plan(Submission asked, Instant now, boolean byTime) {
    Submission submission = withoutForeignUserId(asked);
    DelayedMessage message = submission.message();
    RoutingKeys keys = rules.check(submission);
    Duration remaining = Duration.between(now, submission.deliverAt());
    StrategyChoice choice = rule.choose(submission, remaining, nativeHold(byTime));
    boolean held = choice.strategy() != DelayStrategy.IMMEDIATE;
    if (held) {
      MessageRules.requireExpirationDroppable(submission);
    } else {
      MessageRules.requireValidExpiration(submission.id(), message.properties().getExpiration());
    }
    HoldPath path = paths.of(choice.strategy(), submission, keys, remaining);
    BasicProperties properties = OutgoingProperties.properties(submission, keys, path, held);
    // One hop per steering key; a temporary queue has no such key, and one hop.
    int hops = held ? Math.max(1, path.steering().size()) : 0;
    String prefix = routes.hold().namePrefix();
    SizeCheck.properties(submission.id(), properties, broker.frameMax(), hops, prefix, keys);
    return new PublishPlan(
        submission,
        choice.strategy(),
        choice.reason(),
        path,
        holdType(choice.strategy()),
        properties);
  }

  /**
   * Plans a message again that was planned as held. It is held even if it is due by now. Publishing
   * it straight was not prepared, and the broker might refuse that by closing the channel.
   *
   * @param byTime as in {@link #plan(Submission, Instant, boolean)}
   */
  public PublishPlan planHeld(Submission submission, Instant now, boolean byTime) {
    Instant last = submission.deliverAt().minusMillis(1);
    return plan(submission, now.isBefore(last) ? now : last, byTime);
  }

  private NativeHold nativeHold(boolean asked) {
    NativeHold known = broker.nativeHold();
    if (known == NativeHold.NOT_ASKED || asked == holdsByTime) {
      return known;
    }
    return asked
        ? NativeHold.usable(Duration.ZERO)
        : NativeHold.notUsable("no probe has passed on the connection it is sent on", null);
  }

  /** Whether any strategy can hold the message, which asks for none, from now until it is due. */
  public boolean canHold(Submission submission, Instant now) {
    Duration remaining = Duration.between(now, submission.deliverAt());
    return rule.byRoute(submission, remaining, broker.nativeHold()) != null;
  }

  /**
   * Checks a message that is to wait in a store. Otherwise the broker would refuse it on sending,
   * when its publisher can no longer mend it.
   *
   * @throws InvalidMessageException if the message could not be sent as it is, naming the limit
   */
  public void requireSendable(Submission submission) {
    rules.requireStorable(submission);
  }

  private DelayRoute route(String id, DelayedMessage message) {
    if (message.route() == null) {
      return routes.match(message.exchange(), message.routingKey());
    }
    DelayRoute named = routes.named(message.route());
    if (named == null) {
      throw new InvalidMessageException(
          id,
          "there is no route '%s'; configured: %s"
              .formatted(message.route(), routes.routes().stream().map(DelayRoute::name).toList()));
    }
    return named;
  }

  private static Duration delay(DelayedMessage message, DelayRoute route) {
    if (message.delay() != null) {
      return message.delay();
    }
    return route.defaultDelay() == null ? Duration.ZERO : route.defaultDelay();
  }

  /** Rounds up to milliseconds, so that a receipt or header never names an earlier instant. */
  public static Instant wholeMillis(Instant instant) {
    return Instant.ofEpochMilli(instant.plusNanos(999_999).toEpochMilli());
  }

  /**
   * Drops the {@code user-id} of another sender. A loader, or a consumer that holds a message
   * again, has another user, and must not lose the message for that.
   */
  private Submission withoutForeignUserId(Submission submission) {
    BasicProperties properties = submission.message().properties();
    return (submission.stored() || submission.heldAgain()) && rules.isForeignUserId(properties)
        ? submission.withProperties(properties.builder().userId(null).build())
        : submission;
  }

  private @Nullable HoldQueueType holdType(DelayStrategy strategy) {
    HoldOptions hold = routes.hold();
    return switch (strategy) {
      case TTL_QUEUE -> hold.ttlQueues().type();
      case QUEUE_WHEEL -> hold.wheel().queues().type();
      case TEMPORARY_QUEUE -> hold.temporaryQueues().queues().type();
      case DELIVERY_TIME -> HoldQueueType.QUORUM;
      case DELAYED_EXCHANGE, STORE, IMMEDIATE -> null;
    };
  }
}
