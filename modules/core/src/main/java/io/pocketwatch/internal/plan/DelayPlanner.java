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
import io.pocketwatch.internal.plan.HoldPaths.HoldPath;
import io.pocketwatch.internal.plan.StrategyRule.StrategyChoice;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides what to publish where. No I/O: the broker is known by its {@link BrokerCapabilities}, the
 * time is passed in. Immutable, for any number of threads.
 *
 * <p>One message: {@link #accept} pins id, route and instant; {@link #plan} checks it, picks the
 * strategy and lays out the hold, the steering keys and the properties. A plan may be made again
 * for the same submission, later, and then holds for correspondingly less.
 */
public final class DelayPlanner {
  private final DelayRoutes routes;
  private final BrokerCapabilities broker;
  private final StrategyRule rule;
  private final HoldPaths layouts;
  private final MessageRules rules;
  private final @Nullable DelayPlanner otherwise;

  public DelayPlanner(DelayRoutes routes, BrokerCapabilities broker) {
    this(routes, broker, otherwise(routes, broker));
  }

  private DelayPlanner(
      DelayRoutes routes, BrokerCapabilities broker, @Nullable DelayPlanner otherwise) {
    this.routes = routes;
    this.broker = broker;
    this.rule = new StrategyRule(routes, broker);
    this.layouts = new HoldPaths(routes, broker);
    this.rules = new MessageRules(routes, broker);
    this.otherwise = otherwise;
  }

  private static @Nullable DelayPlanner otherwise(DelayRoutes routes, BrokerCapabilities broker) {
    NativeHold there = broker.nativeHold();
    if (there == NativeHold.NOT_ASKED) {
      return null;
    }
    NativeHold elsewhere =
        there.isUsable()
            ? NativeHold.notUsable("no probe has passed on the connection it is sent on", null)
            : NativeHold.usable(Duration.ZERO);
    return new DelayPlanner(routes, broker.with(elsewhere), null);
  }

  /**
   * Pins what must stay the same however often the message is tried.
   *
   * @throws InvalidMessageException if the named route is unknown, the id is unusable or the
   *     instant is after {@link DelayLimits#LATEST}
   */
  public Submission accept(DelayedMessage message, Instant now) {
    String id = message.id() == null ? MessageIds.next(now) : message.id();
    MessageRules.requireAcceptable(id, message);
    DelayRoute route = route(id, message);
    boolean asksElse = message.delay() != null || message.deliverAt() != null;
    // The broker's clock may be ahead of ours. Such a header must not contradict what is asked for;
    // alone it counts, as somebody may have set it anew.
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
    int generation = route.store().tracked() ? 1 : 0;
    return new Submission(message, id, route, delay, due, spread, generation);
  }

  /**
   * By the id alone, so that a message sent again for the same instant is due at the same time.
   * What is asked for at once is not spread; an instant that has passed is, since it may be such a
   * repetition.
   */
  private static Duration spread(String id, DelayRoute route, @Nullable Duration delay) {
    boolean atOnce = delay != null && (delay.isZero() || delay.isNegative());
    return atOnce ? Duration.ZERO : Spread.part(id, route.spread());
  }

  /** What was due so long ago that no calendar has it is due now. */
  private static Instant due(@Nullable Instant deliverAt, @Nullable Duration delay, Instant now) {
    // From the millisecond of the call. Its fraction would cost the wheel one more wait, and put
    // the instant after the end of a TTL queue's hold.
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

  /**
   * Plans a submission as of now.
   *
   * @throws InvalidMessageException if it cannot be sent as it is, naming the limit it breaks
   */
  public PublishPlan plan(Submission asked, Instant now) {
    Submission submission = withoutForeignUserId(asked);
    DelayedMessage message = submission.message();
    String id = submission.id();
    RoutingKeys keys = rules.check(submission);
    Duration remaining = Duration.between(now, submission.deliverAt());
    StrategyChoice choice = rule.choose(submission, remaining);
    boolean held = choice.strategy() != DelayStrategy.IMMEDIATE;
    if (held) {
      MessageRules.requireExpirationDroppable(submission);
    } else {
      MessageRules.requireValidExpiration(id, message.properties().getExpiration());
    }
    HoldPath layout = layouts.of(choice.strategy(), submission, keys, remaining);
    BasicProperties properties = OutgoingProperties.properties(submission, keys, layout, held);
    SizeCheck.properties(
        id,
        properties,
        broker.frameMax(),
        held ? hops(layout) : 0,
        routes.hold().namePrefix(),
        keys);
    return new PublishPlan(
        id,
        submission.route().name(),
        choice.strategy(),
        choice.reason(),
        submission.deliverAt(),
        submission.spread(),
        layout.destinations(),
        layout.temporaryQueue(),
        layout.exchange(),
        layout.routingKey(),
        holdType(choice.strategy()),
        // The plugin routes a message later, so it returns every mandatory one as unroutable.
        choice.strategy() != DelayStrategy.DELAYED_EXCHANGE,
        properties);
  }

  /** Whether what is planned here may be held by its delivery time. */
  public boolean holdsByTime() {
    return broker.nativeHold().isUsable();
  }

  /** For a connection of somebody else's, which is asked about by itself. */
  public DelayPlanner holdingByTime(boolean byTime) {
    return otherwise == null || byTime == holdsByTime() ? this : otherwise;
  }

  /**
   * Whether something can hold a message that asks for no strategy until it is due, from now on.
   */
  public boolean canHold(Submission submission, Instant now) {
    return rule.byRoute(submission, Duration.between(now, submission.deliverAt())) != null;
  }

  /**
   * Checks what can be checked long before sending, for a message that waits in a store. The broker
   * would otherwise refuse it when nobody can repair it any more.
   *
   * @throws InvalidMessageException if it could not be sent as it is, naming the limit it breaks
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

  /** The instant that is kept: what receipt and header say is never before what was asked. */
  public static Instant wholeMillis(Instant instant) {
    return Instant.ofEpochMilli(instant.plusNanos(999_999).toEpochMilli());
  }

  /**
   * For a message that somebody else has sent. A loader, or a consumer that holds it again, cannot
   * vouch for its sender, and must not lose it for that.
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

  /** As many hops as keys of ours, or the one hop of a temporary queue, which has none. */
  private static int hops(HoldPath layout) {
    return Math.max(1, layout.steering().size());
  }
}
