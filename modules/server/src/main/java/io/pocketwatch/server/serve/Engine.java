// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import io.pocketwatch.PocketwatchException;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.schedule.Schedule;
import io.pocketwatch.schedule.Schedules;
import io.pocketwatch.schedule.SchedulesRunner;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.server.config.ConfigurationFile;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.tracking.TrackedPublisher;
import io.pocketwatch.tracking.metrics.TrackingMetrics;
import java.util.List;
import java.util.concurrent.CompletionException;

/**
 * A publisher, a loader and a runner of schedules for one state of the configuration.
 *
 * @param routes the routes of that state
 * @param publisher hands loaded messages off to the broker
 * @param loader the loader
 * @param loaderWatch watches whether the loader makes progress
 * @param configured the schedules of the configuration
 * @param runner fires the schedules
 */
record Engine(
    DelayRoutes routes,
    TrackedPublisher publisher,
    Loader loader,
    LoaderWatch loaderWatch,
    List<Schedule> configured,
    SchedulesRunner runner)
    implements AutoCloseable {

  /**
   * Connects, and declares what is missing on the broker. Does not load yet.
   *
   * @throws io.pocketwatch.PocketwatchException if the broker or the store refuses
   */
  static Engine prepare(
      NamedBroker broker,
      DelayStore store,
      ConfigurationFile configuration,
      TrackingMetrics metrics) {
    DelayRoutes routes = configuration.routes();
    TrackedPublisher publisher =
        broker.publisher().routes(routes).listener(metrics).build(TrackedPublisher.with(store));
    try {
      if (!routes.asksForNative()) {
        declareWheel(publisher);
      }
      LoaderWatch loaderWatch = new LoaderWatch(routes.loader().sweep());
      Loader loader = new Loader(publisher, metrics, loaderWatch);
      SchedulesRunner runner = SchedulesRunner.of(Schedules.of(publisher));
      return new Engine(routes, publisher, loader, loaderWatch, configuration.schedules(), runner);
    } catch (RuntimeException | Error e) {
      publisher.close();
      throw e;
    }
  }

  /** Declares the wheel at once, for clients of other languages, which declare nothing. */
  private static void declareWheel(TrackedPublisher publisher) {
    try {
      publisher.declareWheel().join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof PocketwatchException known ? known : e;
    }
  }

  /** The schedules in the store. */
  Schedules schedules() {
    return Schedules.of(publisher);
  }

  /** Whether the configuration has the section of schedules, even if that is empty. */
  boolean ownsSchedules() {
    return routes.schedules() != null;
  }

  /** Begins to load and to fire. */
  void start() {
    loader.start();
    runner.start();
  }

  /** Loads and fires no more; messages in flight go on. */
  void stop() {
    runner.close();
    loader.close();
  }

  /** Waits for messages in flight, gives back rows that are only claimed, and disconnects. */
  @Override
  public void close() {
    stop();
    publisher.close();
  }
}
