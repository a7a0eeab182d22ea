// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import io.pocketwatch.PocketwatchEvent;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.server.view.Notice;
import io.pocketwatch.server.view.Notice.Code;
import io.pocketwatch.store.StoreEvent;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Notices a loader without progress. A thread that hangs in a call, or has died, does not report
 * it, and heartbeats come from another thread.
 */
final class LoaderWatch implements PocketwatchListener {
  /**
   * A silent database is given up after 5 min, a broker that confirms nothing after some confirm
   * timeouts. Either may happen in every pass and is no reason to end the server.
   */
  private static final Duration CALLS = Duration.ofMinutes(10);

  private final Duration limit;
  private final LongSupplier nanoTime;
  private final long began;
  private volatile long last;

  /**
   * @param sweep the pause between two passes
   */
  LoaderWatch(Duration sweep) {
    this(sweep, System::nanoTime);
  }

  LoaderWatch(Duration sweep, LongSupplier nanoTime) {
    this.limit = sweep.multipliedBy(2).plus(CALLS);
    this.nanoTime = nanoTime;
    this.began = nanoTime.getAsLong();
    this.last = began;
  }

  /** The age of this loader. */
  Duration age() {
    return Duration.ofNanos(nanoTime.getAsLong() - began);
  }

  /** The problem, if the loader has finished neither a pass nor a batch for too long; else null. */
  @Nullable Notice problem() {
    Duration quiet = Duration.ofNanos(nanoTime.getAsLong() - last);
    return quiet.compareTo(limit) <= 0
        ? null
        : Notice.of(Code.LOADER_STUCK, "quietSeconds", quiet.toSeconds())
            .and("limitSeconds", limit.toSeconds());
  }

  /** Counts loaded batches too, as a pass through millions takes its time. */
  @Override
  public void onEvent(PocketwatchEvent event) {
    if (event instanceof StoreEvent.Loaded || event instanceof StoreEvent.Swept) {
      last = nanoTime.getAsLong();
    }
  }
}
