// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An answer that is kept for a moment, so that many who ask cost no more than one. What takes long
 * is kept longer: at most a tenth of the time is spent on it.
 */
final class Cached<T> {
  private static final int SHARE = 10;

  private final long keepNanos;
  private final Supplier<T> source;
  private volatile @Nullable T value;
  private long until;

  Cached(Duration keep, Supplier<T> source) {
    this.keepNanos = keep.toNanos();
    this.source = source;
  }

  /** After a change: the next one who asks is told of it. */
  synchronized void forget() {
    value = null;
  }

  /** The last one, however old. */
  @Nullable T last() {
    return value;
  }

  /** As fresh as promised; waits while somebody else asks. */
  synchronized T get() {
    long now = System.nanoTime();
    T known = value;
    if (known != null && until - now > 0) {
      return known;
    }
    T fresh = source.get();
    long end = System.nanoTime();
    value = fresh;
    until = end + Math.max(keepNanos, SHARE * (end - now));
    return fresh;
  }
}
