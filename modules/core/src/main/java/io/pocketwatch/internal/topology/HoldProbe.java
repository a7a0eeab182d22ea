// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.topology;

import io.pocketwatch.config.DelayLimits;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.HoldQueues.HoldQueueType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A message that shows whether one hold queue takes messages, and from 4.3 on whether it passes
 * them on. A passive declare does not: a quorum queue whose process has died for good answers it
 * like an empty one.
 *
 * <p>Published with an expiration of zero it leaves the queue at once, passes the hands below on
 * their zeros, and ends in the sink; its sender may add a key. Its priority lets it pass what the
 * queue holds, from 4.3 on in a lane of its own. Before 4.0 nothing passes, and so there are no
 * probes.
 *
 * @param queue the hold queue
 * @param exchange where to publish
 * @param routingKey leads from there to the queue
 * @param steering the {@code BCC} keys from the queue to the sink
 * @param longest how long a message in that queue can have to wait until it is due
 * @param passing whether it leaves the queue at once, unless a message of priority 31 or above is
 *     held there; before 4.3 any message above priority 4 is in its way
 */
public record HoldProbe(
    String queue,
    String exchange,
    String routingKey,
    List<String> steering,
    Duration longest,
    boolean passing) {
  /** The last key: binds the sink to the deliver exchange. */
  public static final String TO_SINK = Steering.RESERVED + "check";

  /** By which a message passes what waits in a quorum queue; before 4.3 only priorities up to 4. */
  public static final int TOP_LANE = 31;

  public HoldProbe {
    steering = List.copyOf(steering);
  }

  /** One per quorum queue that the configuration holds messages in. */
  public static List<HoldProbe> all(DelayRoutes routes, BrokerFacts broker) {
    if (!broker.priorities()) {
      return List.of();
    }
    HoldOptions hold = routes.hold();
    Names names = new Names(hold.namePrefix());
    boolean passing = broker.priorityLanes();
    List<HoldProbe> probes = new ArrayList<>();
    if (hold.ttlQueues().type() == HoldQueueType.QUORUM) {
      for (Duration delay : routes.delays()) {
        probes.add(
            new HoldProbe(
                names.ttlQueue(HoldQueueType.QUORUM, delay),
                names.ttl(HoldQueueType.QUORUM),
                Steering.ttl(delay),
                List.of(TO_SINK),
                delay,
                passing));
      }
    }
    if (hold.wheel().queues().type() == HoldQueueType.QUORUM) {
      List<Wheel.Hand> hands = new Wheel(hold.wheel()).hands();
      for (int i = 0; i < hands.size(); i++) {
        addHand(probes, names, hands.subList(i, hands.size()), passing);
      }
    }
    if (routes.asksForNative()) {
      for (int number = 0; number < NativeQueues.COUNT; number++) {
        probes.add(
            new HoldProbe(
                names.nativeQueue(number),
                names.nativeExchange(),
                Steering.nativeQueue(number),
                List.of(TO_SINK),
                DelayLimits.MAX_TTL,
                passing));
      }
    }
    return probes;
  }

  private static void addHand(
      List<HoldProbe> probes, Names names, List<Wheel.Hand> hands, boolean passing) {
    Wheel.Hand hand = hands.get(0);
    List<String> steering = new ArrayList<>();
    hands.stream().skip(1).forEach(next -> steering.add(next.key(0)));
    steering.add(TO_SINK);
    for (int position = 1; position <= hand.positions(); position++) {
      probes.add(
          new HoldProbe(
              names.handQueue(HoldQueueType.QUORUM, hand.unit(), position),
              names.hand(HoldQueueType.QUORUM, hand.unit()),
              hand.key(position),
              steering,
              hand.unit().multipliedBy(position + 1L),
              passing));
    }
  }
}
