// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

import java.time.Instant;

/** What a publisher tells. */
public sealed interface PublisherEvent extends PocketwatchEvent {
  /** A publish call has its receipt. */
  record Published(PublishReceipt receipt) implements PublisherEvent {}

  /**
   * A framework has sent a message with a delay by itself, or stored it in its caller's
   * transaction. Whether the broker has confirmed it the framework's own means tell.
   */
  record Sent(String id, String route, DelayStrategy strategy, Instant deliverAt)
      implements PublisherEvent {}

  /** There is a new connection: whether it holds messages by their delivery time. */
  record NativeHoldSeen(NativeHold hold) implements PublisherEvent {}

  /** A probe has shown the broker's clock; of several hold queues the one that is off the most. */
  record BrokerClockSeen(BrokerClock clock) implements PublisherEvent {}
}
