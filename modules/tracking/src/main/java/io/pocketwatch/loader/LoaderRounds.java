// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.base.InstantText;
import io.pocketwatch.internal.base.Threads;
import io.pocketwatch.internal.rows.StoreRule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The daemon threads. One loads, one sends what is due, one looks at all routes in full. One shows
 * signs of life, one recovers and tidies up.
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
  private final DefaultLoader loader;
  private final Recovery recovery;
  private final List<Thread> threads = new ArrayList<>();
  private Instant nextRun = Instant.EPOCH; // so the first is a run
  private final Set<Object> failing = ConcurrentHashMap.newKeySet();
  private int failures;
  private boolean found;

  LoaderRounds(LoaderContext work, DefaultLoader loader, Recovery recovery) {
    this.work = work;
    this.loader = loader;
    this.recovery = recovery;
  }

  void start() {
    long beat = Math.max(1_000, Math.min(LoaderPresence.BEAT.toMillis(), sweep()));
    threads.add(thread("beat", () -> every(beat, loader::beat)));
    threads.add(thread("loader", this::load));
    threads.add(thread("due", () -> every(DUE_EVERY_MS, loader::lookForDue)));
    threads.add(thread("routes", this::lookInFull));
    threads.add(thread("recovery", () -> every(sweep(), recovery::look)));
    threads.forEach(Thread::start);
  }

  private static Thread thread(String name, Runnable task) {
    return Threads.named("pocketwatch-" + name).newThread(task);
  }

  private void every(long millis, Runnable task) {
    do {
      quietly(task, task);
    } while (!work.stopsWithin(millis));
  }

  private void lookInFull() {
    long begun;
    do {
      begun = System.nanoTime();
      quietly(LOOKING_IN_FULL, loader::lookInFull);
    } while (!work.stopsWithin(untilNextInFull(Duration.ofNanos(System.nanoTime() - begun))));
  }

  static long untilNextInFull(Duration took) {
    Duration pause = Collections.max(List.of(took.multipliedBy(10), IN_FULL_EVERY));
    return Collections.min(List.of(pause, IN_FULL_AT_LEAST_EVERY)).toMillis();
  }

  private void load() {
    do {
      if (!quietly(LOADING, this::loadOnce)) {
        failures = Math.min(failures + 1, MOST_DOUBLINGS);
      }
    } while (!stopsBeforeNext());
  }

  /** Waits for the next round, or until a row is due before it that nobody else hands off. */
  private boolean stopsBeforeNext() {
    long next = System.nanoTime() + untilNext() * 1_000_000;
    for (long left = next - System.nanoTime(); left > 0; left = next - System.nanoTime()) {
      if (work.stopsWithin(Math.min(LOOK_EVERY_MS, 1 + left / 1_000_000))) {
        return true;
      }
      if (quietly(LOOKING, this::look) && found) {
        return false;
      }
    }
    return work.stopping();
  }

  /** Somebody without a publisher has moved a row, or a publisher had no room for one. */
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
   * Says once that tasks fail, until all of them work again: there may be many tries a second.
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
    } catch (RuntimeException | Error e) { // else a loader that shows signs of life loads nothing
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

  void close(Duration patience) {
    Threads.join(threads, patience);
  }
}
