// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.base.InstantText;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.rows.StoreRule;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The periodic tasks of a started loader: load, poll for due messages, look at all routes in full,
 * write heartbeats, recover and delete. Each is repeated after a pause of its own.
 */
final class LoaderRounds {
  private static final Logger LOG = LoggerFactory.getLogger(LoaderRounds.class);
  private static final long FIRST_BACK_OFF_MS = 500;
  private static final long LOOK_EVERY_MS = 1_000;

  /** Half of how far ahead is looked. */
  private static final long DUE_EVERY_MS = StoreRule.NEAR_DUE.toMillis() / 2;

  /** A look in full may take seconds, so the next one comes after ten times as long. */
  private static final Duration IN_FULL_EVERY = Duration.ofSeconds(5);

  private static final Duration IN_FULL_AT_LEAST_EVERY = Duration.ofMinutes(1);

  private static final int MOST_DOUBLINGS = 16;
  private static final String LOADING = "loading";
  private static final String LOOKING = "looking";
  private static final String LOOKING_IN_FULL = "looking in full";

  private final LoaderContext work;
  private final Loader loader;
  private final Recovery recovery;
  private final Scheduler time;

  /** Own thread: a poll for due messages lasts as long as there is a backlog. */
  private final ScheduledExecutorService due;

  /** Own thread: a nightly run takes minutes. */
  private final ScheduledExecutorService load;

  /** Two threads: a look in full may take seconds, and heartbeats must not wait for it. */
  private final ScheduledExecutorService others;

  private final Map<LongSupplier, ScheduledFuture<?>> planned = new ConcurrentHashMap<>();
  private Instant nextRun = Instant.EPOCH; // so the first is a run
  private final Set<Object> failing = ConcurrentHashMap.newKeySet();
  private long nextLoad;
  private int failures;
  private boolean found;

  LoaderRounds(LoaderContext work, Loader loader, Recovery recovery, Scheduler time) {
    this.work = work;
    this.loader = loader;
    this.recovery = recovery;
    this.time = time;
    this.nextLoad = time.nanoTime();
    this.due = time.timer("pocketwatch-due", 1);
    this.load = time.timer("pocketwatch-load", 1);
    this.others = time.timer("pocketwatch-recovery", 2);
  }

  void start() {
    long beat = Math.max(1_000, Math.min(LoaderPresence.BEAT.toMillis(), sweep()));
    repeat(others, every(beat, loader::beat));
    repeat(load, this::load);
    repeat(due, every(DUE_EVERY_MS, loader::lookForDue));
    repeat(others, this::lookInFull);
    repeat(others, every(sweep(), recovery::look));
  }

  private LongSupplier every(long millis, Runnable task) {
    return () -> {
      quietly(task, task);
      return millis;
    };
  }

  /**
   * @param round runs, and returns the milliseconds until the next round
   */
  private void repeat(ScheduledExecutorService on, LongSupplier round) {
    planned.compute(round, (self, before) -> plan(on, round, 0));
  }

  private ScheduledFuture<?> plan(ScheduledExecutorService on, LongSupplier round, long pause) {
    return on.schedule(
        () -> {
          long next = work.stopping() ? 0 : round.getAsLong();
          planned.computeIfPresent(
              round, (self, before) -> work.stopping() ? null : plan(on, round, next));
        },
        pause,
        TimeUnit.MILLISECONDS);
  }

  private long lookInFull() {
    long begun = time.nanoTime();
    quietly(LOOKING_IN_FULL, loader::lookInFull);
    return untilNextInFull(Duration.ofNanos(time.nanoTime() - begun));
  }

  static long untilNextInFull(Duration took) {
    Duration pause = Collections.max(List.of(took.multipliedBy(10), IN_FULL_EVERY));
    return Collections.min(List.of(pause, IN_FULL_AT_LEAST_EVERY)).toMillis();
  }

  /** Loads when it is time, or earlier if a row is due that no publisher hands off. */
  private long load() {
    long left = nextLoad - time.nanoTime();
    if (left <= 0 || (quietly(LOOKING, this::look) && found)) {
      if (!quietly(LOADING, this::loadOnce)) {
        failures = Math.min(failures + 1, MOST_DOUBLINGS);
      }
      left = TimeUnit.MILLISECONDS.toNanos(untilNext());
      nextLoad = time.nanoTime() + left;
    }
    return Math.min(LOOK_EVERY_MS, 1 + Math.max(0, left) / 1_000_000);
  }

  /** Finds rows that were rescheduled without a publisher, or for which a publisher had no room. */
  private void look() {
    found = loader.mayFind(work.handOff.now().plus(work.options.sweep()));
  }

  private void loadOnce() {
    Instant horizonMoves = loader.nextRun();
    boolean run = !work.handOff.now().isBefore(nextRun);
    LoadReport report = loader.round();
    failures = report.complete() ? 0 : Math.min(failures + 1, MOST_DOUBLINGS);
    if (run && report.complete()) {
      nextRun = horizonMoves;
      recovery.deleteSoon();
      LOG.info(
          "Loaded up to {}: {} messages of {} routes in {} ms, {} parked, {} waiting; next run {}",
          InstantText.of(report.horizon()),
          report.total(),
          report.loaded().size(),
          report.duration().toMillis(),
          report.parked(),
          report.waiting(),
          InstantText.of(nextRun));
    } else if (failures == 1 && failing.isEmpty()) { // else it was said
      LOG.warn("Not everything could be loaded, trying again: {}", report.reason());
    }
  }

  private long untilNext() {
    LoaderOptions options = work.options;
    if (failures > 0) {
      return Math.min(options.sweep().toMillis(), FIRST_BACK_OFF_MS << (failures - 1));
    }
    long untilRun = Duration.between(work.handOff.now(), nextRun).toMillis() + 1;
    return Math.max(0, Math.min(sweep(), untilRun));
  }

  private long sweep() {
    return work.options.sweep().toMillis();
  }

  /**
   * Logs once that tasks fail, until all of them work again: there may be many tries a second.
   *
   * @param which the task, of those that fail by themselves
   */
  private boolean quietly(Object which, Runnable task) {
    try {
      task.run();
      if (failing.remove(which) && failing.isEmpty()) {
        LOG.info("The loader goes on");
      }
      return true;
    } catch (RuntimeException | Error e) { // else a loader with heartbeats loads nothing
      if (work.stopping()) {
        LOG.debug("Closed meanwhile", e);
      } else {
        boolean news = failing.isEmpty();
        failing.add(which);
        if (news) {
          LOG.warn("The loader could not go on, trying again: {}", ErrorWords.of(e));
        } else {
          LOG.debug("The loader still cannot go on", e);
        }
      }
      return false;
    }
  }

  /** Waits for running rounds, at most so long; the loader was stopped before. */
  void close(Duration patience) {
    planned.values().forEach(each -> each.cancel(false));
    planned.clear();
    List<ExecutorService> all = List.of(due, load, others);
    all.forEach(ExecutorService::shutdown);
    long end = time.nanoTime() + patience.toNanos();
    try {
      for (ExecutorService each : all) {
        boolean unused =
            each.awaitTermination(Math.max(0, end - time.nanoTime()), TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
