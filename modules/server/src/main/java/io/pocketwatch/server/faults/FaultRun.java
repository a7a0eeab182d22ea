// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Screen;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Carries out the faults of a round. Different kinds may overlap, as they do in life. */
final class FaultRun implements AutoCloseable {
  private final Map<FaultKind, ScheduledExecutorService> threads = new EnumMap<>(FaultKind.class);
  private final Map<FaultKind, Integer> done = new EnumMap<>(FaultKind.class);
  private final Screen screen;
  private final long began = System.nanoTime();

  private final DatabaseFault database;

  FaultRun(Screen screen, DatabaseFault database) {
    this.screen = screen;
    this.database = database;
  }

  /**
   * Starts the clock.
   *
   * @param actions how each kind is killed and started
   */
  void plan(List<Fault> faults, Map<FaultKind, Runnable> actions) {
    for (Fault fault : faults) {
      threads
          .computeIfAbsent(fault.kind(), kind -> Executors.newSingleThreadScheduledExecutor())
          .schedule(
              () -> carryOut(fault.kind(), Objects.requireNonNull(actions.get(fault.kind()))),
              fault.at().toMillis(),
              TimeUnit.MILLISECONDS);
    }
    threads.values().forEach(ScheduledExecutorService::shutdown);
  }

  private void carryOut(FaultKind kind, Runnable action) {
    long start = System.nanoTime();
    try {
      action.run();
    } catch (RuntimeException e) {
      screen.detail("the " + kind.word() + " could not be killed and started: " + e);
      return;
    }
    synchronized (done) {
      done.merge(kind, 1, Integer::sum);
    }
    screen.detail(
        "%5s s: %s and start the %s: took %s"
            .formatted(
                Duration.ofNanos(start - began).toSeconds(),
                kind.verb(database),
                kind.word(),
                Numbers.seconds(Duration.ofNanos(System.nanoTime() - start))));
  }

  /** Waits for the last of them; a broker may take its time to come back. */
  void awaitEnd(Duration patience) throws InterruptedException {
    for (ScheduledExecutorService each : threads.values()) {
      if (!each.awaitTermination(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        screen.detail("a fault is still under way after " + Numbers.seconds(patience));
      }
    }
  }

  /** How many were carried out. */
  Map<FaultKind, Integer> done() {
    synchronized (done) {
      return new EnumMap<>(done);
    }
  }

  @Override
  public void close() {
    threads.values().forEach(ScheduledExecutorService::shutdownNow);
  }
}
