// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import java.time.Duration;

/** Measures for how long a regular request has had no answer. One request at a time. */
final class SilenceTimer {
  private volatile long askedAt; // 0 if that was answered

  void asked() {
    if (askedAt == 0) {
      askedAt = System.nanoTime();
    }
  }

  void answered() {
    askedAt = 0;
  }

  /** Zero if nothing is unanswered. */
  Duration silent() {
    long since = askedAt;
    return since == 0 ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - since);
  }
}
