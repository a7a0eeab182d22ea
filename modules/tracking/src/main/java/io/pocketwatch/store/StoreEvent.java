// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import io.pocketwatch.PocketwatchEvent;
import java.time.Duration;
import java.time.Instant;

/** The events of stored messages, from loaders and from publishers that hand off. */
public sealed interface StoreEvent extends PocketwatchEvent {
  /** A stored message was handed to the broker, or was not. */
  record HandedOff(HandOffResult result) implements StoreEvent {}

  /**
   * Part of a loader's claim is on the broker and marked. Messages that are tracked to the end are
   * counted when they are claimed, to be sent within two seconds.
   *
   * @param messages how many
   * @param took from the first hand-off to the last mark, or for the claim
   */
  record Loaded(String route, int messages, Duration took) implements StoreEvent {}

  /** A stored message was given up, and is kept for a person. */
  record Parked(MessageKey key, String reason) implements StoreEvent {}

  /** A stored message waits because its target does not exist or takes nothing. */
  record TargetMissing(MessageKey key, String reason) implements StoreEvent {}

  /** A loader gave claims back because the broker took no messages of the route. */
  record HeldUp(String route, int messages, String reason) implements StoreEvent {}

  /** So many overdue messages of a route, which consumers have overtaken, will be sent again. */
  record Recovered(String route, int messages) implements StoreEvent {}

  /**
   * So many messages are sent again that consumers had begun and not ended when the leases were
   * over.
   */
  record Abandoned(int messages) implements StoreEvent {}

  /**
   * A route has overdue messages, and it or one of its consumers settles nothing; none is sent
   * again.
   */
  record Silent(String route, long overdue) implements StoreEvent {}

  /** So many finished messages were deleted, as their retention was over. */
  record Deleted(int messages) implements StoreEvent {}

  /**
   * A loader's run or sweep is over.
   *
   * @param horizon up to when it loaded
   * @param complete whether everything due until then was handed off
   */
  record Swept(Instant horizon, boolean complete) implements StoreEvent {}
}
