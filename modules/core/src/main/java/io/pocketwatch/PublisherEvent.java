// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

/** What a publisher tells. */
public sealed interface PublisherEvent extends PocketwatchEvent {
  /** A publish call has its receipt. */
  record Published(PublishReceipt receipt) implements PublisherEvent {}

  /** There is a new connection: whether it holds messages by their delivery time. */
  record NativeHoldSeen(NativeHold hold) implements PublisherEvent {}

  /** A probe has shown the broker's clock; of several hold queues the one that is off the most. */
  record BrokerClockSeen(BrokerClock clock) implements PublisherEvent {}
}
