// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import io.pocketwatch.loader.LoadReport;
import io.pocketwatch.loader.LoaderListener;
import io.pocketwatch.route.DurationText;
import io.pocketwatch.store.MessageKey;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Notices a loader that gets nowhere: a thread that hangs in a call, or has died, does not say so
 * itself, and signs of life come from another one. Passes on what it hears.
 */
final class LoaderPulse implements LoaderListener {
  /**
   * A silent database is given up after 5 min, a broker that confirms nothing after some confirm
   * timeouts; either may happen in every pass and is no reason to end the server.
   */
  private static final Duration CALLS = Duration.ofMinutes(10);

  private final LoaderListener next;
  private final Duration limit;
  private final LongSupplier nanoTime;
  private volatile long last;

  /**
   * @param sweep the pause between two passes
   */
  LoaderPulse(LoaderListener next, Duration sweep) {
    this(next, sweep, System::nanoTime);
  }

  LoaderPulse(LoaderListener next, Duration sweep, LongSupplier nanoTime) {
    this.next = next;
    this.limit = sweep.multipliedBy(2).plus(CALLS);
    this.nanoTime = nanoTime;
    this.last = nanoTime.getAsLong();
  }

  /** A sentence if it has ended neither a pass nor a batch for too long; else null. */
  @Nullable String problem() {
    Duration quiet = Duration.ofNanos(nanoTime.getAsLong() - last);
    return quiet.compareTo(limit) <= 0
        ? null
        : ("this server's loader is stuck: it has ended no pass and loaded nothing for %d s;"
                + " allowed: %s (two sweeps and 10m)")
            .formatted(quiet.toSeconds(), DurationText.format(limit));
  }

  /** A pass through millions takes its time: what it has loaded counts. */
  @Override
  public void batchLoaded(String route, int count, Duration duration) {
    last = nanoTime.getAsLong();
    next.batchLoaded(route, count, duration);
  }

  @Override
  public void swept(LoadReport report) {
    last = nanoTime.getAsLong();
    next.swept(report);
  }

  @Override
  public void parked(MessageKey key, String reason) {
    next.parked(key, reason);
  }

  @Override
  public void targetMissing(MessageKey key, String reason) {
    next.targetMissing(key, reason);
  }

  @Override
  public void heldUp(String route, int count, String reason) {
    next.heldUp(route, count, reason);
  }

  @Override
  public void recovered(String route, int count) {
    next.recovered(route, count);
  }

  @Override
  public void epochLost(String epoch, int count) {
    next.epochLost(epoch, count);
  }

  @Override
  public void silent(String route, long overdue) {
    next.silent(route, overdue);
  }

  @Override
  public void movedToHistory(int count) {
    next.movedToHistory(count);
  }
}
