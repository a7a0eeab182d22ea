// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.route;

/**
 * The type of a family of hold queues. Classic ones must be asked for by name, because a broker
 * restart can lose what falls due meanwhile.
 */
public record HoldQueues(HoldQueueType type, boolean acceptLoss) {
  public HoldQueues {
    if (type == HoldQueueType.CLASSIC && !acceptLoss) {
      throw new IllegalArgumentException(
          "queue-type classic can lose messages that fall due during a broker restart;"
              + " say accept-loss: true or use quorum");
    }
  }

  /** Replicated hold queues. */
  public static HoldQueues quorum() {
    return new HoldQueues(HoldQueueType.QUORUM, false);
  }

  /** Classic hold queues, with the loss they can bring. */
  public static HoldQueues classicAcceptingLoss() {
    return new HoldQueues(HoldQueueType.CLASSIC, true);
  }
}
