// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

import java.time.Instant;

/** The events of a publisher. */
public sealed interface PublisherEvent extends PocketwatchEvent {
  /** A publish call has its receipt. */
  record Published(PublishReceipt receipt) implements PublisherEvent {}

  /**
   * A framework has sent a delayed message on its own channel, or stored it in its caller's
   * transaction. Whether the broker confirms the message is for the framework to find out.
   */
  record Sent(String id, String route, DelayStrategy strategy, Instant deliverAt)
      implements PublisherEvent {}

  /** A new connection was opened; says whether messages on it may be held by delivery time. */
  record NativeHoldSeen(NativeHold hold) implements PublisherEvent {}

  /** A probe has shown the broker's clock; of several hold queues, the one furthest off. */
  record BrokerClockSeen(BrokerClock clock) implements PublisherEvent {}
}
