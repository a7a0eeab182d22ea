// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.schedule.Schedule;
import io.pocketwatch.schedule.Schedules;
import io.pocketwatch.schedule.SchedulesRunner;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Puts the application's schedules into the store at the start, and fires them while it runs.
 * Starts after the loader, and stops before it.
 */
public final class SchedulesLifecycle implements SmartLifecycle, PocketwatchStatus.Warnings {
  private static final int PHASE = LoaderLifecycle.PHASE + 1;

  private final Schedules schedules;
  private final DelayRoutes routes;
  private final List<Schedule> beans;
  private final String actor;
  private final boolean fires;
  private boolean started;
  private @Nullable SchedulesRunner runner;

  SchedulesLifecycle(
      Schedules schedules, DelayRoutes routes, List<Schedule> beans, String actor, boolean fires) {
    this.schedules = schedules;
    this.routes = routes;
    this.beans = List.copyOf(beans);
    this.actor = actor;
    this.fires = fires;
  }

  /** How the runner is doing; empty while it is stopped, or if this process fires nothing. */
  public synchronized Optional<SchedulesRunner.State> state() {
    return Optional.ofNullable(runner).map(SchedulesRunner::state);
  }

  @Override
  public List<String> warnings() {
    return state().map(SchedulesRunner.State::warnings).orElse(List.of());
  }

  /** A configuration without a {@code schedules} section leaves those of others alone. */
  @Override
  public synchronized void start() {
    if (started) {
      return;
    }
    if (routes.schedules() != null) {
      schedules.apply(actor, Schedules.read(routes), actor);
    }
    beans.forEach(each -> schedules.put(each, actor));
    if (fires) {
      runner = SchedulesRunner.of(schedules);
      runner.start();
    }
    started = true;
  }

  @Override
  public synchronized void stop() {
    if (runner != null) {
      runner.close();
      runner = null;
    }
    started = false;
  }

  @Override
  public synchronized boolean isRunning() {
    return started;
  }

  @Override
  public int getPhase() {
    return PHASE;
  }
}
