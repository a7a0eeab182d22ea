// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import io.pocketwatch.store.Handling;
import io.pocketwatch.store.SettlingStore;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Renews the lease of a handling while its handler runs, every third of its length. */
public final class KeptLease implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KeptLease.class);

  private final SettlingStore store;
  private final @Nullable Handling handling;
  private final Duration length;
  private volatile boolean closed;
  private volatile @Nullable ScheduledFuture<?> timer;

  private KeptLease(SettlingStore store, @Nullable Handling handling, Duration length) {
    this.store = store;
    this.handling = handling;
    this.length = length;
  }

  static KeptLease of(
      SettlingStore store,
      @Nullable Handling handling,
      Duration length,
      ScheduledExecutorService timers) {
    KeptLease lease = new KeptLease(store, handling, length);
    if (handling != null) {
      lease.start(timers);
    }
    return lease;
  }

  private void start(ScheduledExecutorService timers) {
    long third = length.toMillis() / 3;
    try {
      timer = timers.scheduleWithFixedDelay(this::renew, third, third, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("The guard is closed; the lease of {} is not renewed", handling);
    }
  }

  private void renew() {
    if (closed || handling == null) {
      return;
    }
    try {
      if (!store.extend(handling, length) && !closed) {
        LOG.warn("The handling of {} was taken over while its handler runs", handling.key());
        close();
      }
    } catch (RuntimeException
        | Error e) { // would end the timer; there are two more tries before it ends
      LOG.debug("The lease of {} could not be renewed", handling.key(), e);
    }
  }

  /** Renews no more; what is left of the lease runs out. */
  @Override
  public void close() {
    closed = true;
    ScheduledFuture<?> running = timer;
    if (running != null) {
      running.cancel(false);
    }
  }
}
