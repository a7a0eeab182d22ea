// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.store.SettlingStore;
import io.pocketwatch.store.SettlingStore.Handling;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the leases of all handlings of a guard from running out: all are renewed in one call, every
 * third of their length. Thread-safe.
 */
final class Leases implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Leases.class);
  private static final int LARGEST = 500;

  private final SettlingStore store;
  private final Duration length;
  private final Set<Handling> kept = ConcurrentHashMap.newKeySet();

  /** Those among them that a transaction of their consumer's may have settled. */
  private final Set<Handling> settling = ConcurrentHashMap.newKeySet();

  private final ScheduledExecutorService timer;

  Leases(SettlingStore store, Duration length, Scheduler time) {
    this.store = store;
    this.length = length;
    this.timer = time.timer("pocketwatch-guard-leases", 1);
    long third = length.toNanos() / 3;
    ScheduledFuture<?> unused =
        timer.scheduleWithFixedDelay(this::renew, third, third, TimeUnit.NANOSECONDS);
  }

  /** Renews that one until {@link #keepNoLonger}. */
  void keep(Handling begun) {
    kept.add(begun);
  }

  /** The handling may end in the consumer's transaction, and then needs no warning. */
  void settling(Handling begun) {
    settling.add(begun);
  }

  void keepNoLonger(@Nullable Handling handling) {
    if (handling != null) {
      kept.remove(handling);
      settling.remove(handling);
    }
  }

  private void renew() {
    try {
      List<Handling> all = List.copyOf(kept);
      for (int i = 0; i < all.size(); i += LARGEST) {
        renew(all.subList(i, Math.min(all.size(), i + LARGEST)));
      }
    } catch (RuntimeException | Error e) { // it would end the timer; there is time for more tries
      LOG.debug("Leases could not be renewed", e);
    }
  }

  private void renew(List<Handling> some) {
    List<Boolean> renewed = store.extend(some, length);
    for (int i = 0; i < some.size(); i++) {
      if (!renewed.get(i) && kept.remove(some.get(i)) && !settling.contains(some.get(i))) {
        LOG.warn("The handling of {} was taken over while its handler runs", some.get(i).key());
      }
    }
  }

  /** Renews no more; what is left of them runs out. */
  @Override
  public void close() {
    timer.shutdownNow();
  }
}
