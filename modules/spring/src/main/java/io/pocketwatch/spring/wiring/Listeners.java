// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import io.pocketwatch.PocketwatchListener;
import org.springframework.beans.factory.ObjectProvider;

/** Several listeners as one. */
final class Listeners {
  private Listeners() {}

  static PocketwatchListener all(ObjectProvider<PocketwatchListener> provider) {
    return PocketwatchListener.all(provider.orderedStream().toList());
  }
}
