// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.topology;

import io.pocketwatch.config.HoldQueues;
import io.pocketwatch.config.HoldQueues.HoldQueueType;
import java.util.List;

/**
 * A set of hold queues with the same fixed arguments. It is part of their names, so that two sets
 * never share an exchange, which would duplicate messages.
 */
public enum HoldFamily {
  QUORUM("quorum"),
  /**
   * For priorities above 4 on brokers that expire a quorum queue only at the head of two priority
   * classes (4.0 to 4.2). There a message could wait a whole TTL behind one of the other class.
   */
  QUORUM_HIGH("quorum-high"),
  CLASSIC("classic");

  private static final int HIGH_PRIORITY = 5;

  private final String label;

  HoldFamily(String label) {
    this.label = label;
  }

  /** The family that holds a message of this priority without delaying others. */
  public static HoldFamily of(HoldQueues queues, int priority, BrokerCapabilities broker) {
    if (queues.type() == HoldQueueType.CLASSIC) {
      return CLASSIC;
    }
    return priority >= HIGH_PRIORITY && broker.twoPriorityClasses() ? QUORUM_HIGH : QUORUM;
  }

  /** The families of a broker's quorum queues. */
  public static List<HoldFamily> quorum(BrokerCapabilities broker) {
    return broker.twoPriorityClasses() ? List.of(QUORUM, QUORUM_HIGH) : List.of(QUORUM);
  }

  String label() {
    return label;
  }

  HoldQueueType queueType() {
    return this == CLASSIC ? HoldQueueType.CLASSIC : HoldQueueType.QUORUM;
  }
}
