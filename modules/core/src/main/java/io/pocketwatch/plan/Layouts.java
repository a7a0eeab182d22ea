// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.plan;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.route.DelayRoutes;
import io.pocketwatch.route.HoldOptions;
import io.pocketwatch.route.HoldQueues;
import io.pocketwatch.topology.BrokerFacts;
import io.pocketwatch.topology.Destination;
import io.pocketwatch.topology.Destination.Way;
import io.pocketwatch.topology.HoldClass;
import io.pocketwatch.topology.Names;
import io.pocketwatch.topology.NativeQueues;
import io.pocketwatch.topology.Steering;
import io.pocketwatch.topology.TemporaryQueue;
import io.pocketwatch.topology.Wheel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Lays out the hold of each strategy. What follows the hold is the same for all of them. */
final class Layouts {
  private final HoldOptions hold;
  private final BrokerFacts broker;
  private final Names names;
  private final Wheel wheel;

  Layouts(DelayRoutes routes, BrokerFacts broker) {
    this.hold = routes.hold();
    this.broker = broker;
    this.names = new Names(hold.namePrefix());
    this.wheel = new Wheel(hold.wheel());
  }

  Layout of(DelayStrategy strategy, Submission submission, RoutingKeys keys, Duration remaining) {
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
              List.of(Steering.nativeQueue(NativeQueues.of(submission.id()))),
              null,
              millisUp(remaining).toMillis());
    };
  }

  private Layout straight(Submission submission) {
    Destination destination = destination(submission, Way.STRAIGHT);
    return new Layout(
        submission.message().exchange(),
        submission.message().routingKey(),
        List.of(destination),
        List.of(),
        null,
        null,
        null);
  }

  private Layout ttlQueue(Submission submission, RoutingKeys keys) {
    Duration delay = Objects.requireNonNull(submission.delay(), "a TTL queue needs a delay");
    String exchange = names.ttl(holdClass(hold.ttlQueues(), submission));
    return released(submission, keys, exchange, List.of(Steering.ttl(delay)), null, null);
  }

  private Layout wheel(Submission submission, RoutingKeys keys, Duration remaining) {
    Duration resolution = submission.route().resolution();
    // What is held again waits for somebody's lease, not for what the route's delays stand for.
    List<Wheel.Step> steps =
        resolution == null || submission.heldAgain()
            ? wheel.steps(remaining)
            : wheel.steps(remaining, resolution);
    HoldClass holdClass = holdClass(hold.wheel().queues(), submission);
    String exchange = names.hand(holdClass, steps.get(0).hand().unit());
    return released(
        submission, keys, exchange, steps.stream().map(Wheel.Step::key).toList(), null, null);
  }

  /** A hold that ends at the shared release exchange. */
  private Layout released(
      Submission submission,
      RoutingKeys keys,
      String exchange,
      List<String> holdKeys,
      @Nullable Long delayedFor,
      @Nullable Long expiresAfter) {
    DelayedMessage message = submission.message();
    Destination destination =
        Destination.released(submission.route(), message.exchange(), message.routingKey());
    List<String> steering = new ArrayList<>(holdKeys);
    steering.addAll(destination.steeringKeys());
    return new Layout(
        exchange,
        keys.routingKey(),
        withCopies(destination, keys),
        steering,
        delayedFor,
        expiresAfter,
        null);
  }

  private Layout temporaryQueue(Submission submission, RoutingKeys keys, Duration ttl) {
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
      return new Layout("", queue.queue().name(), destinations, List.of(), null, null, queue);
    }
    TemporaryQueue queue =
        TemporaryQueue.byKey(names, token, destination, ttl, hold.temporaryQueues())
            .replacing(submission.stored());
    List<String> steering = List.of(Steering.temporary(token));
    return new Layout(
        names.temporary(), keys.routingKey(), destinations, steering, null, null, queue);
  }

  /** At the default exchange each CC and BCC key is a queue, to be bound like the first. */
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

  private HoldClass holdClass(HoldQueues queues, Submission submission) {
    Integer priority = submission.message().properties().getPriority();
    return HoldClass.of(queues, priority == null ? 0 : priority, broker);
  }

  private static Duration millisUp(Duration duration) {
    return Duration.ofMillis(duration.plusNanos(999_999).toMillis());
  }
}
