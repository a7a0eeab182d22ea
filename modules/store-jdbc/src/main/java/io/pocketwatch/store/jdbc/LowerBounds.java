// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where to look for due rows, by route. While an old transaction is open, the database keeps all
 * dead rows at the beginning of an index. A look from there would read them each second. So a look
 * begins where the last one found the first row, or a little before its own time if that is
 * earlier. Rows below are found by the next look in full. Two minutes after the last look in full a
 * bound no longer counts.
 *
 * <p>Thread-safe. A look that another one has overtaken changes nothing.
 */
final class LowerBounds {
  /** Where a look in full begins. */
  static final long NONE = Long.MIN_VALUE;

  /** Clocks differ, and what is inserted at an instant is seen when it is committed. */
  static final long MARGIN_MS = 5_000;

  /** Twice as long as a loader lets pass between two looks in full. */
  private static final long LASTS = Duration.ofMinutes(2).toNanos();

  private final Map<String, Bound> bounds = new ConcurrentHashMap<>();
  private final LongSupplier nanos;
  private final AtomicInteger forgotten = new AtomicInteger();

  /**
   * @param nanos time as {@link System#nanoTime} counts it
   */
  LowerBounds(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** Nothing that waits lies below {@code from}, by a look in full of that time. */
  private record Bound(long from, long since) {}

  /** Where a look of that route may begin now. */
  long from(String route) {
    return from(bounds.get(route), nanos.getAsLong());
  }

  private static long from(@Nullable Bound bound, long now) {
    return bound == null || now - bound.since > LASTS ? NONE : bound.from;
  }

  /** Drops all bounds, since rows were rescheduled: the next looks are in full. */
  void forget() {
    forgotten.incrementAndGet();
    bounds.clear();
  }

  /**
   * Call this before the database is asked.
   *
   * @param at the database's time
   */
  Look look(long at) {
    return new Look(at);
  }

  /** One look, at some routes from their bounds on or at all in full. */
  final class Look {
    private final long at;
    private final long begun = nanos.getAsLong();
    private final int forgottenBefore = forgotten.get();
    private final Map<String, Bound> before = Map.copyOf(bounds);

    private Look(long at) {
      this.at = at;
    }

    long at() {
      return at;
    }

    long from(String route) {
      return LowerBounds.from(before.get(route), begun);
    }

    /**
     * @param first the first row from {@link #from} on, null if there is none
     */
    void saw(String route, @Nullable Long first) {
      if (from(route) == NONE) {
        sawInFull(route, first);
        return;
      }
      Bound known = before.get(route);
      if (known != null) {
        bounds.replace(route, known, new Bound(Math.max(known.from, bound(first)), known.since));
      }
    }

    /** The same, of a look in full. */
    void sawInFull(String route, @Nullable Long first) {
      bounds.compute(
          route,
          (each, known) ->
              forgotten.get() != forgottenBefore || known != null && known.since - begun > 0
                  ? known
                  : new Bound(bound(first), begun));
    }

    /**
     * @param routes all that have rows
     */
    void sawNoOthers(Set<String> routes) {
      before.keySet().stream()
          .filter(route -> !routes.contains(route))
          .forEach(route -> sawInFull(route, null));
    }

    private long bound(@Nullable Long first) {
      long latest = at - MARGIN_MS;
      return first == null ? latest : Math.min(first, latest);
    }
  }
}
