// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.plan;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.route.DelayLimits;
import io.pocketwatch.route.DelayRoute;
import io.pocketwatch.route.DelayRoutes;
import io.pocketwatch.route.HoldOptions;
import io.pocketwatch.route.HoldQueueType;
import io.pocketwatch.route.UserExpiration;
import io.pocketwatch.topology.BrokerFacts;
import io.pocketwatch.topology.Names;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides what to publish where. No I/O: the broker is known by its {@link BrokerFacts}, the time
 * is passed in. Immutable, for any number of threads.
 *
 * <p>One message: {@link #accept} pins id, route and instant; {@link #plan} checks it, picks the
 * strategy and lays out the hold, the steering keys and the properties. A plan may be made again
 * for the same submission, later, and then holds for correspondingly less.
 */
public final class DelayPlanner {
  private static final int MAX_ID_BYTES = 200;

  /** Ids, names and keys we add, each as long as allowed. */
  private static final int OUR_HEADERS = 3_000;

  private final DelayRoutes routes;
  private final BrokerFacts broker;
  private final StrategyRule rule;
  private final Layouts layouts;
  private final Names names;

  public DelayPlanner(DelayRoutes routes, BrokerFacts broker) {
    this.routes = routes;
    this.broker = broker;
    this.rule = new StrategyRule(routes, broker);
    this.layouts = new Layouts(routes, broker);
    this.names = new Names(routes.hold().namePrefix());
  }

  /**
   * Pins what must stay the same however often the message is tried.
   *
   * @throws InvalidMessageException if the named route is unknown, the id is unusable or the
   *     instant is after {@link DelayLimits#LATEST}
   */
  public Submission accept(DelayedMessage message, Instant now) {
    String id = message.id() == null ? Ids.next(now) : message.id();
    int idBytes = id.getBytes(StandardCharsets.UTF_8).length;
    if (idBytes < 1 || idBytes > MAX_ID_BYTES) {
      throw new InvalidMessageException(
          id, "its id is %d bytes long; allowed: 1 to %d".formatted(idBytes, MAX_ID_BYTES));
    }
    RoutingKeys.requireText(id, "its id", id);
    DelayRoute route = route(id, message);
    Instant deliverAt = message.deliverAt();
    Duration delay = deliverAt == null ? delay(message, route) : null;
    try {
      // From the millisecond of the call: its fraction would cost the wheel one more wait, and put
      // the instant after the end of a TTL queue's hold.
      Instant asked =
          deliverAt == null ? now.truncatedTo(ChronoUnit.MILLIS).plus(delay) : deliverAt;
      Instant due = wholeMillis(asked);
      if (due.isAfter(DelayLimits.LATEST)) {
        throw new InvalidMessageException(
            id, "it would be due at %s; the latest allowed: %s".formatted(due, DelayLimits.LATEST));
      }
      int generation = route.store().tracked() ? 1 : 0;
      return new Submission(message, id, route, delay, due, generation);
    } catch (DateTimeException | ArithmeticException e) {
      throw new InvalidMessageException(
          id, "its delay is beyond any calendar; the latest allowed: " + DelayLimits.LATEST, e);
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
    RoutingKeys keys = check(submission);
    Duration remaining = Duration.between(now, submission.deliverAt());
    StrategyChoice choice = rule.choose(submission, remaining);
    boolean held = choice.strategy() != DelayStrategy.IMMEDIATE;
    if (held) {
      requireExpirationDroppable(submission);
    } else {
      requireValidExpiration(id, message.properties().getExpiration());
    }
    Layout layout = layouts.of(choice.strategy(), submission, keys, remaining);
    BasicProperties properties =
        Outgoing.properties(submission, choice.strategy(), keys, layout, held);
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
        layout.destinations(),
        layout.temporaryQueue(),
        layout.exchange(),
        layout.routingKey(),
        holdType(choice.strategy()),
        // The plugin routes a message later, so it returns every mandatory one as unroutable.
        choice.strategy() != DelayStrategy.DELAYED_EXCHANGE,
        properties);
  }

  /**
   * Whether something can hold a message that asks for no strategy until it is due, from now on.
   */
  public boolean canHold(Submission submission, Instant now) {
    return rule.byRoute(submission, Duration.between(now, submission.deliverAt())) != null;
  }

  /**
   * Checks what can be checked long before sending, for a message that waits in a store: the broker
   * would otherwise refuse it when nobody can repair it any more.
   *
   * @throws InvalidMessageException if it could not be sent as it is, naming the limit it breaks
   */
  public void requireSendable(Submission submission) {
    RoutingKeys keys = check(submission);
    requireExpirationDroppable(submission);
    requireStorable(submission);
    SizeCheck.properties(
        submission.id(),
        submission.message().properties(),
        broker.frameMax() - OUR_HEADERS,
        routes.hold().wheel().hands().size() + 2,
        routes.hold().namePrefix(),
        keys);
  }

  /** PostgreSQL has no text with a NUL, and MySQL sees no blank at an end; AMQP allows both. */
  private static void requireStorable(Submission submission) {
    DelayedMessage message = submission.message();
    String id = submission.id();
    requireKeepable(id, "id", id);
    requireKeepable(id, "exchange name", message.exchange());
    requireKeepable(id, "routing key", message.routingKey());
    String businessKey = message.businessKey();
    if (businessKey != null) {
      requireKeepable(id, "business key", businessKey);
      RoutingKeys.requireText(id, "its business key", businessKey);
      int bytes = businessKey.getBytes(StandardCharsets.UTF_8).length;
      if (bytes < 1 || bytes > MAX_ID_BYTES) {
        throw new InvalidMessageException(
            id,
            "its business key is %d bytes long; allowed: 1 to %d".formatted(bytes, MAX_ID_BYTES));
      }
    }
  }

  private static void requireKeepable(String id, String what, String text) {
    if (text.indexOf('\0') >= 0) {
      throw new InvalidMessageException(
          id, "its " + what + " contains a NUL, which a database cannot keep");
    }
    if (text.endsWith(" ")) {
      throw new InvalidMessageException(
          id, "its " + what + " ends with a blank, which databases do not compare");
    }
  }

  private RoutingKeys check(Submission submission) {
    DelayedMessage message = submission.message();
    String id = submission.id();
    requireForeign(id, message.exchange());
    RoutingKeys.requireShort(id, "exchange name", message.exchange());
    RoutingKeys keys = RoutingKeys.of(id, message.routingKey(), message.properties().getHeaders());
    requireUserId(id, message.properties());
    SizeCheck.body(id, message.body(), routes.publisher().maxBodySize());
    return keys;
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

  private void requireForeign(String id, String exchange) {
    if (names.isOurs(exchange)) {
      throw new InvalidMessageException(
          id, "exchange '" + exchange + "' is one of Pocketwatch's own and cannot be a target");
    }
  }

  /** The instant that is kept: what receipt and header say is never before what was asked. */
  public static Instant wholeMillis(Instant instant) {
    return Instant.ofEpochMilli(instant.plusNanos(999_999).toEpochMilli());
  }

  /** The broker closes the channel on a user-id other than the connection's. */
  private void requireUserId(String id, BasicProperties properties) {
    if (isForeignUserId(properties)) {
      throw new InvalidMessageException(
          id,
          "its user-id is '%s', but this connection is logged in as '%s'"
              .formatted(properties.getUserId(), broker.userName()));
    }
  }

  /**
   * What somebody else sent and the broker has accepted, or will: a loader, or a consumer that
   * holds it again, cannot vouch for its sender, and must not lose it for that.
   */
  private Submission withoutForeignUserId(Submission submission) {
    BasicProperties properties = submission.message().properties();
    return (submission.stored() || submission.heldAgain()) && isForeignUserId(properties)
        ? submission.withProperties(properties.builder().userId(null).build())
        : submission;
  }

  private boolean isForeignUserId(BasicProperties properties) {
    String userId = properties.getUserId();
    return userId != null && !userId.equals(broker.userName());
  }

  private @Nullable HoldQueueType holdType(DelayStrategy strategy) {
    HoldOptions hold = routes.hold();
    return switch (strategy) {
      case TTL_QUEUE -> hold.ttlQueues().type();
      case QUEUE_WHEEL -> hold.wheel().queues().type();
      case TEMPORARY_QUEUE -> hold.temporaryQueues().queues().type();
      case DELAYED_EXCHANGE, STORE, IMMEDIATE -> null;
    };
  }

  /** As many hops as keys of ours, or the one hop of a temporary queue, which has none. */
  private static int hops(Layout layout) {
    return Math.max(1, layout.steering().size());
  }

  /** The broker closes the channel on any other. */
  private static void requireValidExpiration(String id, @Nullable String expiration) {
    if (expiration != null
        && !(expiration.matches("\\d{1,12}")
            && Long.parseLong(expiration) <= DelayLimits.MAX_TTL.toMillis())) {
      throw new InvalidMessageException(
          id,
          "its expiration is '%s'; allowed: 0 to %d, in ms"
              .formatted(expiration, DelayLimits.MAX_TTL.toMillis()));
    }
  }

  private static void requireExpirationDroppable(Submission submission) {
    String expiration = submission.message().properties().getExpiration();
    if (expiration != null && submission.route().userExpiration() == UserExpiration.REJECT) {
      throw new InvalidMessageException(
          submission.id(),
          "its expiration of %s ms cannot survive the hold; leave it out, or set"
                  .formatted(expiration)
              + " user-expiration: drop on route "
              + submission.route().name());
    }
  }
}
