// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An answer that is kept for a moment, so that many who ask cost no more than one. What takes long
 * is kept longer: at most a tenth of the time is spent on it. A failure is kept too: those who
 * waited for it do not ask once more, one after another.
 */
final class Cached<T> {
  private static final int SHARE = 10;
  private static final long KEEP_FAILURE_NANOS = Duration.ofSeconds(1).toNanos();

  private final long keepNanos;
  private final Supplier<T> source;
  private final LongSupplier nanoTime;
  private volatile @Nullable T value;
  private @Nullable RuntimeException failure;
  private long until;

  Cached(Duration keep, Supplier<T> source) {
    this(keep, source, System::nanoTime);
  }

  Cached(Duration keep, Supplier<T> source, LongSupplier nanoTime) {
    this.keepNanos = keep.toNanos();
    this.source = source;
    this.nanoTime = nanoTime;
  }

  /** After a change: the next one who asks is told of it. */
  synchronized void forget() {
    value = null;
    failure = null;
  }

  /** The last one, however old. */
  @Nullable T last() {
    return value;
  }

  /**
   * As fresh as promised; waits while somebody else asks.
   *
   * @throws RuntimeException what the source has thrown, now or a moment ago
   */
  synchronized T get() {
    long now = nanoTime.getAsLong();
    if (until - now > 0) {
      if (failure != null) {
        throw failure;
      }
      T known = value;
      if (known != null) {
        return known;
      }
    }
    try {
      T fresh = source.get();
      long end = nanoTime.getAsLong();
      value = fresh;
      failure = null;
      until = end + Math.max(keepNanos, SHARE * (end - now));
      return fresh;
    } catch (RuntimeException e) {
      failure = e;
      until = nanoTime.getAsLong() + KEEP_FAILURE_NANOS;
      throw e;
    }
  }
}
