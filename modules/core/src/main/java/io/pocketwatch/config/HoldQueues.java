// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import java.util.Locale;

/**
 * The type of a family of hold queues. Classic queues take an explicit {@code acceptLoss}, because
 * a broker restart can lose messages that fall due meanwhile.
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

  /** Classic hold queues, whose losses are accepted. */
  public static HoldQueues classicAcceptingLoss() {
    return new HoldQueues(HoldQueueType.CLASSIC, true);
  }

  /** The type of a hold queue; always sent explicitly, never left to the broker's default. */
  public enum HoldQueueType {
    /** The queue is replicated and dead-letters at least once. This is the default. */
    QUORUM,

    /**
     * The broker's memory stays flat at any backlog, but dead-lettering is at most once. Messages
     * that fall due while a quorum target has no leader, as during a restart, are lost.
     */
    CLASSIC;

    /** The value of {@code x-queue-type}. */
    public String argument() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
