// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.subject;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.benchmarks.harness.Subject;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Isolation;
import io.pocketwatch.config.DelayRoutes;
import java.util.List;
import java.util.Map;

/** The quorum wheel with one part of its safety taken away, or one added, at a time. */
public final class PriceSubjects {
  private static final DelayRoutes PLAIN = DelayRoutes.none();
  private static final DelayRoutes ISOLATED =
      DelayRoutes.builder()
          .defaults(DelayRoute.defaults().toBuilder().isolation(Isolation.DESTINATION).build())
          .build();

  private PriceSubjects() {}

  /**
   * The first is what the others are compared with on one node, {@code wheel-quorum-3} on three.
   */
  public static List<Subject> all() {
    return List.of(
        wheel("wheel-quorum", Place.ONE_NODE, PLAIN, VhostChange.NONE),
        wheel("without-sink", Place.ONE_NODE, PLAIN, AlteredTopology.withoutSink()),
        wheel("one-sink", Place.ONE_NODE, PLAIN, AlteredTopology.withOneSink()),
        wheel(
            "one-sink-ttl-0",
            Place.ONE_NODE,
            PLAIN,
            AlteredTopology.withOneSink(Map.of("x-queue-type", "quorum", "x-message-ttl", 0L))),
        wheel("isolation-destination", Place.ONE_NODE, ISOLATED, VhostChange.NONE),
        wheel(
            "at-most-once",
            Place.ONE_NODE,
            PLAIN,
            AlteredTopology.withHoldArgument("x-dead-letter-strategy", "at-most-once")),
        wheel("wheel-quorum-3", Place.THREE_NODES, PLAIN, VhostChange.NONE),
        wheel("one-sink-3", Place.THREE_NODES, PLAIN, AlteredTopology.withOneSink()),
        wheel(
            "one-member",
            Place.THREE_NODES,
            PLAIN,
            AlteredTopology.withArgument("x-quorum-initial-group-size", 1L)),
        wheel(
            "leaders-on-one-node",
            Place.THREE_NODES,
            PLAIN,
            AlteredTopology.withArgument("x-queue-leader-locator", "client-local")));
  }

  private static Subject wheel(String name, Place place, DelayRoutes routes, VhostChange change) {
    return new Pocketwatch(name, place, DelayStrategy.QUEUE_WHEEL, routes, change);
  }
}
