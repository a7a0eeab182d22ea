// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.deadletter;

import io.pocketwatch.config.DelayLimits;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.internal.probe.Probe;
import io.pocketwatch.internal.topology.BccKeys;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.internal.topology.HoldFamily;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.internal.topology.Wheel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A message that shows whether one hold queue takes messages, and from 4.3 on whether it passes
 * them on. A passive declare does not show it: a quorum queue whose process has died for good
 * answers like an empty one.
 *
 * <p>Published with an expiration of zero, the message leaves the queue at once, passes the hands
 * below on their zeros, and is released. Its priority gives it a lane of its own, or it would wait
 * behind whatever the queue holds. Before 4.0 there are no lanes, and so there are no probes.
 *
 * @param queue the hold queue
 * @param exchange where to publish
 * @param routingKey leads from there to the queue
 * @param steering the {@code BCC} keys from the queue to the release
 * @param priority of the message
 * @param longest how long a message in that queue can have to wait until it is due
 * @param passing whether it leaves the queue at once, unless a message of priority 31 or above is
 *     held there. Before 4.3 the queue has two classes of priority, and looks only at the head of
 *     one
 */
public record HoldProbe(
    String queue,
    String exchange,
    String routingKey,
    List<String> steering,
    int priority,
    Duration longest,
    boolean passing) {
  private static final int OTHER_LANE = 0;

  public HoldProbe {
    steering = List.copyOf(steering);
  }

  /** A probe for each quorum queue that the configuration holds messages in. */
  public static List<HoldProbe> all(DelayRoutes routes, BrokerCapabilities broker) {
    if (!broker.priorityLanes()) {
      return List.of();
    }
    HoldOptions hold = routes.hold();
    Names names = new Names(hold.namePrefix());
    boolean passing = !broker.twoPriorityClasses();
    List<HoldProbe> probes = new ArrayList<>();
    if (hold.ttlQueues().type() == HoldQueueType.QUORUM) {
      for (HoldFamily family : HoldFamily.quorum(broker)) {
        for (Duration delay : routes.delays()) {
          probes.add(
              new HoldProbe(
                  names.ttlQueue(family, delay),
                  names.ttl(family),
                  BccKeys.ttl(delay),
                  List.of(),
                  lane(family),
                  delay,
                  passing));
        }
      }
    }
    if (hold.wheel().queues().type() == HoldQueueType.QUORUM) {
      List<Wheel.Hand> hands = new Wheel(hold.wheel()).hands();
      for (HoldFamily family : HoldFamily.quorum(broker)) {
        for (int i = 0; i < hands.size(); i++) {
          addHand(probes, names, family, hands.subList(i, hands.size()), passing);
        }
      }
    }
    if (routes.asksForNative()) {
      for (int number = 0; number < Names.NATIVE_QUEUES; number++) {
        probes.add(
            new HoldProbe(
                names.nativeQueue(number),
                names.nativeExchange(),
                BccKeys.nativeQueue(number),
                List.of(),
                Probe.TOP_LANE,
                DelayLimits.MAX_TTL,
                passing));
      }
    }
    return probes;
  }

  private static void addHand(
      List<HoldProbe> probes,
      Names names,
      HoldFamily family,
      List<Wheel.Hand> hands,
      boolean passing) {
    Wheel.Hand hand = hands.get(0);
    List<String> steering = new ArrayList<>();
    hands.stream().skip(1).forEach(next -> steering.add(next.key(0)));
    for (int position = 1; position <= hand.positions(); position++) {
      probes.add(
          new HoldProbe(
              names.handQueue(family, hand.unit(), position),
              names.hand(family, hand.unit()),
              hand.key(position),
              steering,
              lane(family),
              hand.unit().multipliedBy(position + 1L),
              passing));
    }
  }

  private static int lane(HoldFamily family) {
    return family == HoldFamily.QUORUM_HIGH ? OTHER_LANE : Probe.TOP_LANE;
  }
}
