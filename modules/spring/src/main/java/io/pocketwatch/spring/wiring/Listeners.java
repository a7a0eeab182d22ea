// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.internal.base.SafeListeners;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;

/** Several listeners as one. */
final class Listeners {
  private Listeners() {}

  static PocketwatchListener all(ObjectProvider<PocketwatchListener> provider) {
    List<PocketwatchListener> listeners = provider.orderedStream().toList();
    return listeners.isEmpty()
        ? PocketwatchListener.NONE
        : SafeListeners.of(PocketwatchListener.class, listeners);
  }
}
