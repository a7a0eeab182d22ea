// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Since when the broker has been connected, as far as anybody looked. */
final class ConnectedTime {
  private final Workplace work;
  private @Nullable Instant since;

  ConnectedTime(Workplace work) {
    this.work = work;
  }

  /** Null while it is not. */
  synchronized @Nullable Instant since() {
    if (!work.publisher.connected()) {
      since = null;
    } else if (since == null) {
      since = work.handOver.now();
    }
    return since;
  }
}
