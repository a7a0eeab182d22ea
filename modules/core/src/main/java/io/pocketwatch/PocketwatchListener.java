// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

import io.pocketwatch.store.HandOffResult;
import io.pocketwatch.store.MessageKey;
import java.time.Duration;

/**
 * Hears what happens to messages; metrics and logs are fed from here. Called on threads that have
 * other work to do, by publishers, loaders and guards alike: return at once. What it throws is
 * logged and changes nothing.
 */
public interface PocketwatchListener extends PocketwatchListener {
  /** Hears nothing. */
  PocketwatchListener NONE = new PocketwatchListener() {};

  /** A publish call has its receipt. */
  default void published(PublishReceipt receipt) {}

  /** A stored message was handed to the broker, or was not. */
  default void handedOff(HandOffResult result) {}

  /** A loader has taken a batch of a route to the broker. */
  default void loaded(String route, int messages, Duration took) {}

  /** A stored message was given up. */
  default void parked(MessageKey key, String reason) {}

  /** Stored messages wait for a target that is not there. */
  default void targetMissing(String route, int messages) {}

  /** Messages the broker no longer has, or that were overtaken, will be loaded again. */
  default void returned(String route, int messages) {}

  /**
   * The broker lost its disk; what the store knows of as held in this epoch will be loaded again.
   * Told by whoever does that, once per 1,000 messages, and not at all if there are none.
   */
  default void epochLost(String epoch) {}

  /**
   * There is a new connection, or a later look at it: whether it holds messages by their delivery
   * time.
   */
  default void nativeHold(NativeHold hold) {}

  /** A probe has shown a broker's clock; of several hold queues the one that is off by the most. */
  default void brokerClock(BrokerClock clock) {}
}
