// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

import io.pocketwatch.internal.base.SafeCalls;
import java.util.List;

/**
 * Hears what happens to messages; metrics and logs are fed from here. It is called on threads that
 * have other work to do, by publishers, loaders and guards alike: return at once. What it throws is
 * logged and changes nothing.
 */
@FunctionalInterface
public interface PocketwatchListener {
  /** Hears nothing. */
  PocketwatchListener NONE = event -> {};

  /** Look at the kind of the event with {@code instanceof}. */
  void onEvent(PocketwatchEvent event);

  /** One listener that tells them all in this order, and never throws what one of them throws. */
  static PocketwatchListener all(List<PocketwatchListener> listeners) {
    List<PocketwatchListener> heard =
        listeners.stream().filter(listener -> listener != NONE).toList();
    return heard.isEmpty()
        ? NONE
        : event -> heard.forEach(each -> SafeCalls.tell(() -> each.onEvent(event)));
  }
}
