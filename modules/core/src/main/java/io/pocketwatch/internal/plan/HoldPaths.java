// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.plan;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.HoldQueues;
import io.pocketwatch.internal.topology.BccKeys;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.internal.topology.Destination;
import io.pocketwatch.internal.topology.Destination.Way;
import io.pocketwatch.internal.topology.HoldFamily;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.internal.topology.TemporaryQueue;
import io.pocketwatch.internal.topology.Wheel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Lays out the hold of each strategy. The delivery after it is the same for all of them. */
final class HoldPaths {
  /** The bound of the caches: names may be generated per message. */
  private static final int REMEMBERED = 10_000;

  private final HoldOptions hold;
  private final BrokerCapabilities broker;
  private final Names names;
  private final Wheel wheel;

  /** Caches of names and keys: making them anew costs more than all the rest of a plan. */
  private final Map<HoldFamily, Map<Duration, String>> hands = new EnumMap<>(HoldFamily.class);

  private final Map<Destination, List<String>> steering = new ConcurrentHashMap<>();

  HoldPaths(DelayRoutes routes, BrokerCapabilities broker) {
    this.hold = routes.hold();
    this.broker = broker;
    this.names = new Names(hold.namePrefix());
    this.wheel = new Wheel(hold.wheel());
    for (HoldFamily family : HoldFamily.values()) {
      Map<Duration, String> exchanges = new HashMap<>();
      wheel.hands().forEach(hand -> exchanges.put(hand.unit(), names.hand(family, hand.unit())));
      hands.put(family, exchanges);
    }
  }

  HoldPath of(DelayStrategy strategy, Submission submission, RoutingKeys keys, Duration remaining) {
    return switch (strategy) {
      case IMMEDIATE -> straight(submission);
      case STORE -> throw new IllegalArgumentException("a stored message is not laid out");
      case TTL_QUEUE -> ttlQueue(submission, keys);
      case QUEUE_WHEEL -> wheel(submission, keys, remaining);
      case TEMPORARY_QUEUE -> temporaryQueue(submission, keys, millisUp(remaining));
      case DELAYED_EXCHANGE ->
          released(
              submission, keys, names.delayed(), List.of(), millisUp(remaining).toMillis(), null);
      case DELIVERY_TIME ->
          released(
              submission,
              keys,
              names.nativeExchange(),
              List.of(BccKeys.nativeQueue(Names.nativeQueueOf(submission.id()))),
              null,
              millisUp(remaining).toMillis());
    };
  }

  private HoldPath straight(Submission submission) {
    Destination destination = destination(submission, Way.STRAIGHT);
    return new HoldPath(
        submission.message().exchange(),
        submission.message().routingKey(),
        List.of(destination),
        List.of(),
        null,
        null,
        null);
  }

  private HoldPath ttlQueue(Submission submission, RoutingKeys keys) {
    Duration delay = Objects.requireNonNull(submission.delay(), "a TTL queue needs a delay");
    String exchange = names.ttl(family(hold.ttlQueues(), submission));
    return released(submission, keys, exchange, List.of(BccKeys.ttl(delay)), null, null);
  }

  private HoldPath wheel(Submission submission, RoutingKeys keys, Duration remaining) {
    Duration resolution = submission.route().resolution();
    // A message held again waits for a lease to end, so its route's resolution does not matter.
    List<Wheel.Step> steps =
        resolution == null || submission.heldAgain()
            ? wheel.steps(remaining)
            : wheel.steps(remaining, resolution);
    HoldFamily family = family(hold.wheel().queues(), submission);
    Map<Duration, String> exchanges = Objects.requireNonNull(hands.get(family));
    String exchange = Objects.requireNonNull(exchanges.get(steps.get(0).hand().unit()));
    List<String> holdKeys = new ArrayList<>(steps.size());
    for (Wheel.Step step : steps) {
      holdKeys.add(step.key());
    }
    return released(submission, keys, exchange, holdKeys, null, null);
  }

  /** A hold that ends at the shared release exchange. */
  private HoldPath released(
      Submission submission,
      RoutingKeys keys,
      String exchange,
      List<String> holdKeys,
      @Nullable Long delayedFor,
      @Nullable Long expiresAfter) {
    DelayedMessage message = submission.message();
    Destination destination =
        Destination.released(submission.route(), message.exchange(), message.routingKey());
    List<String> to = steering(destination);
    List<String> all = new ArrayList<>(holdKeys.size() + to.size());
    all.addAll(holdKeys);
    all.addAll(to);
    return new HoldPath(
        exchange,
        keys.routingKey(),
        withCopies(destination, keys),
        all,
        delayedFor,
        expiresAfter,
        null);
  }

  private List<String> steering(Destination destination) {
    if (steering.size() >= REMEMBERED) {
      steering.clear();
    }
    return steering.computeIfAbsent(destination, Destination::steeringKeys);
  }

  private HoldPath temporaryQueue(Submission submission, RoutingKeys keys, Duration ttl) {
    Destination destination = destination(submission, Way.TEMPORARY);
    String token =
        submission.stored()
            ? TemporaryQueue.token(
                submission.route().name(), submission.id(), submission.deliverAt())
            : TemporaryQueue.token(submission.id(), submission.deliverAt());
    List<Destination> destinations = withCopies(destination, keys);
    if (keys.single()) {
      TemporaryQueue queue =
          TemporaryQueue.byName(
                  names, token, destination, keys.routingKey(), ttl, hold.temporaryQueues())
              .replacing(submission.stored());
      return new HoldPath("", queue.queue().name(), destinations, List.of(), null, null, queue);
    }
    TemporaryQueue queue =
        TemporaryQueue.byKey(names, token, destination, ttl, hold.temporaryQueues())
            .replacing(submission.stored());
    List<String> steering = List.of(BccKeys.temporary(token));
    return new HoldPath(
        names.temporary(), keys.routingKey(), destinations, steering, null, null, queue);
  }

  /** At the default exchange each CC and BCC key is the name of a queue, which is bound, too. */
  private static List<Destination> withCopies(Destination destination, RoutingKeys keys) {
    if (!destination.toQueue() || keys.single()) {
      return List.of(destination);
    }
    List<Destination> destinations = new ArrayList<>(List.of(destination));
    keys.copies().forEach(key -> destinations.add(Destination.of("", key, Way.SHARED)));
    return destinations;
  }

  private static Destination destination(Submission submission, Way way) {
    return Destination.of(submission.message().exchange(), submission.message().routingKey(), way);
  }

  private HoldFamily family(HoldQueues queues, Submission submission) {
    Integer priority = submission.message().properties().getPriority();
    return HoldFamily.of(queues, priority == null ? 0 : priority, broker);
  }

  private static Duration millisUp(Duration duration) {
    return Duration.ofMillis(duration.plusNanos(999_999).toMillis());
  }
}
