// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.store.MessageKey;
import java.time.Duration;

/**
 * Hears what a loader does; metrics and logs are fed from it. Called on the loader's threads, which
 * wait for it, and by several at a time. What it throws is logged and goes no further.
 */
public interface LoaderListener {
  /** Tells the one listener of everything what it can hear of a loader. */
  static LoaderListener to(PocketwatchListener listener) {
    return new ForwardingListener(listener);
  }

  /**
   * Part of a claim is on the broker and marked.
   *
   * @param count how many messages
   * @param duration from the first hand-over to the last mark
   */
  default void batchLoaded(String route, int count, Duration duration) {}

  /** A message was given up, and is kept for a human. */
  default void parked(MessageKey key, String reason) {}

  /** A message waits because its target does not exist or takes nothing. */
  default void targetMissing(MessageKey key, String reason) {}

  /** Claims were given back because the broker took no messages of the route. */
  default void heldUp(String route, int count, String reason) {}

  /** So many overdue messages of a route will be sent again. */
  default void recovered(String route, int count) {}

  /** The broker's disk of that epoch is gone; so many of its messages will be sent again. */
  default void epochLost(String epoch, int count) {}

  /**
   * A route has overdue messages, and it or one of its consumers settles nothing; none is sent
   * again.
   */
  default void silent(String route, long overdue) {}

  /** So many finished messages became history. */
  default void movedToHistory(int count) {}

  /** A run or sweep is over. */
  default void swept(LoadReport report) {}
}
