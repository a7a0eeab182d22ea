// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.subject;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.benchmarks.harness.Subject;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.HoldQueues;
import io.pocketwatch.config.WheelOptions;
import java.time.Duration;
import java.util.List;

/** Undelayed publishing, and each strategy on each type of hold queue. */
public final class OurSubjects {
  private static final HoldQueues CLASSIC = HoldQueues.classicAcceptingLoss();

  /** Long enough to publish a round's messages before the first of them is due. */
  private static final Duration TTL_QUEUE_DELAY = Duration.ofSeconds(10);

  private static final List<Duration> NARROW_HANDS =
      List.of(
          Duration.ofDays(1),
          Duration.ofHours(1),
          Duration.ofMinutes(1),
          Duration.ofSeconds(10),
          Duration.ofSeconds(1),
          Duration.ofMillis(100),
          Duration.ofMillis(10));

  private OurSubjects() {}

  /** The limit of this RabbitMQ: a message of the plain client, which nobody delays. */
  public static Subject undelayed() {
    return Undelayed.bare("undelayed", Place.ONE_NODE);
  }

  public static List<Subject> all() {
    return List.of(
        undelayed(),
        Undelayed.withId("undelayed-id", Place.ONE_NODE),
        immediate("undelayed-pocketwatch", Place.ONE_NODE),
        ttl("ttl-queue-quorum", Place.ONE_NODE, HoldQueues.quorum()),
        ttl("ttl-queue-classic", Place.ONE_NODE, CLASSIC),
        wheel("wheel-quorum", Place.ONE_NODE, HoldQueues.quorum()),
        toTheSecond("wheel-quorum-1s", Place.ONE_NODE),
        wheel("wheel-classic", Place.ONE_NODE, CLASSIC),
        temporary("temporary-queue", Place.ONE_NODE),
        fourWaits("wheel-quorum-4-waits", Place.ONE_NODE),
        deliveryTime("delivery-time", Place.ONE_NODE),
        Undelayed.bare("undelayed-3", Place.THREE_NODES),
        ttl("ttl-queue-quorum-3", Place.THREE_NODES, HoldQueues.quorum()),
        wheel("wheel-quorum-3", Place.THREE_NODES, HoldQueues.quorum()),
        toTheSecond("wheel-quorum-1s-3", Place.THREE_NODES),
        deliveryTime("delivery-time-3", Place.THREE_NODES));
  }

  /** No delay, through our publisher: what a delay adds to it. */
  private static Subject immediate(String name, Place place) {
    return new Pocketwatch(name, place, DelayStrategy.IMMEDIATE, DelayRoutes.none());
  }

  private static Subject ttl(String name, Place place, HoldQueues queues) {
    DelayRoute route = DelayRoute.defaults().toBuilder().delays(TTL_QUEUE_DELAY).build();
    return new Pocketwatch(
        name,
        place,
        DelayStrategy.TTL_QUEUE,
        DelayRoutes.builder()
            .defaults(route)
            .hold(HoldOptions.builder().ttlQueues(queues).build())
            .build());
  }

  private static Subject wheel(String name, Place place, HoldQueues queues) {
    WheelOptions wheel = WheelOptions.builder().queues(queues).build();
    return new Pocketwatch(
        name,
        place,
        DelayStrategy.QUEUE_WHEEL,
        DelayRoutes.builder().hold(HoldOptions.builder().wheel(wheel).build()).build());
  }

  /** For routes that can be a second late, and save a hop. */
  private static Subject toTheSecond(String name, Place place) {
    DelayRoute route = DelayRoute.defaults().toBuilder().resolution(Duration.ofSeconds(1)).build();
    return new Pocketwatch(
        name, place, DelayStrategy.QUEUE_WHEEL, DelayRoutes.builder().defaults(route).build());
  }

  /**
   * What a delay of more than an hour is for the usual wheel, within half a minute. A burst that is
   * due then waits in four hands, most of the time. Random delays of hours make more hops than
   * usual.
   */
  private static Subject fourWaits(String name, Place place) {
    WheelOptions wheel = WheelOptions.builder().hands(NARROW_HANDS).build();
    return new Pocketwatch(
        name,
        place,
        DelayStrategy.QUEUE_WHEEL,
        DelayRoutes.builder().hold(HoldOptions.builder().wheel(wheel).build()).build());
  }

  /** Held by RabbitMQ itself, where the node does that: see the module's README. */
  private static Subject deliveryTime(String name, Place place) {
    DelayRoute route =
        DelayRoute.defaults().toBuilder().strategy(DelayStrategy.DELIVERY_TIME).build();
    return new Pocketwatch(
        name, place, DelayStrategy.DELIVERY_TIME, DelayRoutes.builder().defaults(route).build());
  }

  private static Subject temporary(String name, Place place) {
    HoldOptions hold = HoldOptions.defaults();
    return new Pocketwatch(
        name,
        place,
        DelayStrategy.TEMPORARY_QUEUE,
        DelayRoutes.builder()
            .hold(
                hold.toBuilder()
                    .temporaryQueues(hold.temporaryQueues().toBuilder().max(10_000).build())
                    .build())
            .build());
  }
}
