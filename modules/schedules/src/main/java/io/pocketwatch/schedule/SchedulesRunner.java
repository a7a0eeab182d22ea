// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.schedule;

import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.base.Threads;
import io.pocketwatch.store.ScheduleStore.Fired;
import io.pocketwatch.store.ScheduleStore.ScheduleChanged;
import io.pocketwatch.store.ScheduleStore.StoredSchedule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fires due schedules once a second, on one daemon thread. Any number of runners, in any number of
 * processes, may work on one store; none is a leader, and each occurrence fires once.
 *
 * <p>A schedule that cannot fire, say because its route is gone, does not stop the others. It is
 * logged once per reason, and catches up when it can.
 */
public final class SchedulesRunner implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SchedulesRunner.class);
  private static final long EVERY_MS = 1_000;
  private static final int MOST_DOUBLINGS = 5;
  private static final int MOST_SCHEDULES = 100;
  private static final int MOST_ALLOWED = 1_000;

  /** After how many passes the problem of a schedule that is no longer found is dropped. */
  private static final long FORGOTTEN = 60;

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Schedules schedules;
  private final Map<String, Problem> failing = new ConcurrentHashMap<>();
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final Thread thread = Threads.named("pocketwatch-schedules").newThread(this::work);
  private int failures;
  private long passes;

  /** How many schedules the last pass found and left unchanged: they must not keep others out. */
  private int waiting;

  private volatile @Nullable Instant lastPass;
  private volatile @Nullable String lastError;

  private SchedulesRunner(Schedules schedules) {
    this.schedules = schedules;
  }

  /** A runner of these schedules, which does nothing before {@link #start}. */
  public static SchedulesRunner of(Schedules schedules) {
    return new SchedulesRunner(schedules);
  }

  /**
   * Starts to fire, and returns at once.
   *
   * @throws IllegalStateException if it was started or closed before
   */
  public void start() {
    if (stopping.getCount() == 0 || thread.getState() != Thread.State.NEW) {
      throw new IllegalStateException("this runner was started or closed before");
    }
    thread.start();
  }

  /** The state of the runner. */
  public State state() {
    Map<String, String> reasons = new TreeMap<>();
    failing.forEach((name, problem) -> reasons.put(name, problem.reason()));
    return new State(thread.isAlive() && stopping.getCount() > 0, lastPass, lastError, reasons);
  }

  /** Stops after the current transaction, for which it waits up to 30 s. */
  @Override
  public void close() {
    stopping.countDown();
    Threads.join(thread, PATIENCE);
  }

  private void work() {
    long pause;
    do {
      try {
        pause = pass() ? 0 : EVERY_MS;
        if (failures > 0) {
          LOG.info("Schedules fire again");
        }
        failures = 0;
        lastError = null;
      } catch (RuntimeException | Error e) { // the thread must not end
        pause = EVERY_MS << Math.min(failures, MOST_DOUBLINGS);
        failures++;
        failed(ErrorWords.of(e));
      }
    } while (!stopsWithin(pause));
  }

  private void failed(String reason) {
    if (stopping.getCount() == 0) {
      LOG.debug("Closed meanwhile: {}", reason);
    } else if (!reason.equals(lastError)) {
      LOG.warn("Schedules cannot fire, trying again: {}", reason);
    }
    lastError = reason;
  }

  /** Fires once, and returns whether there is more to fire at once. */
  boolean pass() {
    int limit = Math.min(MOST_ALLOWED, MOST_SCHEDULES + waiting);
    Set<String> left = new HashSet<>();
    Map<String, Long> missed = new TreeMap<>();
    Fired fired =
        schedules.fireDue(
            limit,
            (found, change) -> {
              StoredSchedule before = found.schedule();
              StoredSchedule after = change.schedule();
              if (after != null && after.equals(before)) {
                left.add(after.name());
              } else if (after != null && before != null && after.missed() > before.missed()) {
                missed.put(after.name(), after.missed() - before.missed());
              }
            });
    missed.keySet().removeAll(fired.failed().keySet());
    missed.forEach(
        (name, times) ->
            LOG.warn("Schedule '{}': {} missed, and not sent, as catch-up says", name, times));
    note(fired);
    Instant now = schedules.now();
    lastPass = now;
    waiting = left.size() + fired.failed().size();
    int looked = fired.changed().size() + fired.failed().size();
    boolean behind =
        fired.changed().stream()
            .map(each -> each.change().schedule())
            .anyMatch(each -> each != null && !left.contains(each.name()) && isBehind(each, now));
    return behind || looked == limit && waiting < looked;
  }

  private static boolean isBehind(StoredSchedule schedule, Instant now) {
    return schedule.nextAt() != null && schedule.nextAt().isBefore(now);
  }

  private void note(Fired fired) {
    passes++;
    for (ScheduleChanged each : fired.changed()) {
      StoredSchedule schedule = each.change().schedule();
      if (schedule != null && failing.remove(schedule.name()) != null) {
        LOG.info("Schedule '{}' can fire again", schedule.name());
      }
    }
    fired
        .failed()
        .forEach(
            (name, error) -> {
              String reason = ErrorWords.of(error);
              Problem known = failing.put(name, new Problem(reason, passes));
              if (known == null || !reason.equals(known.reason())) {
                LOG.warn("Schedule '{}' cannot fire, trying again: {}", name, reason);
              }
            });
    failing.values().removeIf(problem -> passes - problem.pass() > FORGOTTEN);
  }

  private boolean stopsWithin(long millis) {
    try {
      return stopping.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private record Problem(String reason, long pass) {}

  /**
   * The state of a runner.
   *
   * @param running whether it was started and not closed
   * @param lastPass when it last looked for due schedules, on the store's clock, or null
   * @param lastError why the last look failed, or null if it did not
   * @param failing by name, why schedules cannot fire
   */
  public record State(
      boolean running,
      @Nullable Instant lastPass,
      @Nullable String lastError,
      Map<String, String> failing) {
    public State {
      failing = Collections.unmodifiableMap(new TreeMap<>(failing));
    }

    /** What a person should look at, in sentences without a full stop; empty if all is well. */
    public List<String> warnings() {
      List<String> warnings = new ArrayList<>();
      if (lastError != null) {
        warnings.add("schedules do not fire: " + lastError);
      }
      failing.forEach(
          (name, why) -> warnings.add("schedule %s cannot fire: %s".formatted(name, why)));
      return warnings;
    }
  }
}
