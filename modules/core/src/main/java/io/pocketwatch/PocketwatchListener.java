// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

import io.pocketwatch.internal.base.SafeCalls;
import java.util.List;

/**
 * Receives the events of publishers, loaders and guards, for example for metrics and logs. They
 * call it on threads that have other work to do, so it must not block. An exception it throws is
 * logged and has no other effect.
 */
@FunctionalInterface
public interface PocketwatchListener {
  /** A listener that ignores all events. */
  PocketwatchListener NONE = event -> {};

  /** Receives an event; tell its kind by {@code instanceof}. */
  void onEvent(PocketwatchEvent event);

  /** One listener that notifies all of these in order; what one throws does not stop the next. */
  static PocketwatchListener all(List<PocketwatchListener> listeners) {
    List<PocketwatchListener> heard =
        listeners.stream().filter(listener -> listener != NONE).toList();
    return heard.isEmpty()
        ? NONE
        : event -> heard.forEach(each -> SafeCalls.tell(() -> each.onEvent(event)));
  }
}
