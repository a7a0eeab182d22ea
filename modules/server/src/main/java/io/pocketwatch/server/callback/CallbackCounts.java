// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import io.pocketwatch.server.config.CallbackSettings;
import io.pocketwatch.server.view.CallbackView;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Counts the calls of one route since this server started. Thread-safe. */
final class CallbackCounts {
  private final CallbackSettings settings;
  private final AtomicLong called = new AtomicLong();
  private final AtomicLong retried = new AtomicLong();
  private final AtomicLong parked = new AtomicLong();
  private final AtomicInteger inFlight = new AtomicInteger();
  private volatile @Nullable Last last;

  CallbackCounts(CallbackSettings settings) {
    this.settings = settings;
  }

  /** Makes a call, and counts it. */
  CallResult during(Call call, int attempt) throws InterruptedException {
    inFlight.incrementAndGet();
    called.incrementAndGet();
    if (attempt > 1) {
      retried.incrementAndGet();
    }
    try {
      CallResult result = call.make();
      last = new Last(Instant.now(), result);
      return result;
    } finally {
      inFlight.decrementAndGet();
    }
  }

  void parked() {
    parked.incrementAndGet();
  }

  CallbackView view() {
    Last latest = last;
    return new CallbackView(
        settings.route(),
        settings.shownUrl(),
        called.get(),
        retried.get(),
        parked.get(),
        inFlight.get(),
        latest == null ? null : latest.at,
        latest == null ? null : latest.result.status(),
        latest == null ? null : latest.result.problem());
  }

  /** One call of the target. */
  @FunctionalInterface
  interface Call {
    CallResult make() throws InterruptedException;
  }

  private record Last(Instant at, CallResult result) {}
}
