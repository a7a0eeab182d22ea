// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.pocketwatch.server.access.Caller;
import io.pocketwatch.server.http.Answers;
import io.pocketwatch.server.http.HttpPart;
import io.pocketwatch.server.request.Parameters;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.OverviewStore.Activity;
import io.pocketwatch.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The activity of each step of the last hour, read from the store. After a start or an outage of
 * the store, missing steps are read later, a few at a time.
 */
final class Series implements Runnable {
  static final Duration STEP = Duration.ofSeconds(10);

  private static final Logger LOG = LoggerFactory.getLogger("serve");
  private static final int MINUTES = 60;
  private static final int POINTS = (int) (Duration.ofMinutes(MINUTES).dividedBy(STEP));
  private static final int AT_A_TIME = 30;

  /** How long to wait, so that transactions with a time within the step have committed. */
  private static final Duration SETTLES = Duration.ofSeconds(2);

  private final Backend backend;
  private final Deque<Point> points = new ArrayDeque<>();
  private @Nullable Instant next;
  private long loaded;
  private volatile boolean complete;

  Series(Backend backend) {
    this.backend = backend;
    this.loaded = backend.health().loader().loaded();
  }

  void addTo(RoutesConfig routes) {
    routes.get(HttpPart.REST + "/series", this::series);
  }

  private void series(Context context) {
    Caller.of(context).requireAllRoutes();
    int minutes = new Parameters(context, "minutes").integer("minutes", 1, MINUTES, MINUTES);
    long wanted = Duration.ofMinutes(minutes).dividedBy(STEP);
    List<Point> last;
    synchronized (points) {
      last = points.stream().skip(Math.max(0, points.size() - wanted)).toList();
    }
    Answers.json(
        context,
        200,
        Map.of("stepSeconds", STEP.toSeconds(), "complete", complete, "points", last));
  }

  /** The step that ended last. */
  @Nullable Point last() {
    synchronized (points) {
      return points.peekLast();
    }
  }

  /** For one thread. */
  @Override
  public void run() {
    try {
      DelayStore store = backend.store();
      Instant end = floor(store.now().minus(SETTLES));
      Instant oldest = end.minus(STEP.multipliedBy(POINTS));
      Instant step = next == null || next.isBefore(oldest) ? oldest : next;
      for (int i = 0; i < AT_A_TIME && step.isBefore(end); i++) {
        Activity activity = store.activity(step, step.plus(STEP));
        boolean present = !step.plus(STEP).isBefore(end);
        add(Point.of(step, activity, present ? handedOff() : 0));
        step = step.plus(STEP);
        next = step;
      }
      complete = !step.isBefore(end);
    } catch (StoreException e) {
      complete = false;
      LOG.debug("The series goes on when the store does", e);
    }
  }

  /** Messages handed off since the last call. A new loader, after a reload, begins from zero. */
  private long handedOff() {
    long now = backend.health().loader().loaded();
    long more = now >= loaded ? now - loaded : now;
    loaded = now;
    return more;
  }

  private void add(Point point) {
    synchronized (points) {
      points.addLast(point);
      while (points.size() > POINTS) {
        points.removeFirst();
      }
    }
  }

  private static Instant floor(Instant instant) {
    long step = STEP.toMillis();
    return Instant.ofEpochMilli(instant.toEpochMilli() / step * step);
  }

  /** One step of the series. */
  record Point(
      Instant at,
      long scheduled,
      long due,
      long settled,
      long handedOver,
      @Nullable Long latenessP50Ms,
      @Nullable Long latenessP99Ms,
      @Nullable Long latenessMaxMs) {
    private static final double MEDIAN = 0.5;
    private static final double NEARLY_ALL = 0.99;
    private static final double ALL = 1;

    static Point of(Instant at, Activity activity, long handedOver) {
      return new Point(
          at,
          activity.scheduled(),
          activity.due(),
          activity.settled(),
          handedOver,
          lateness(activity, MEDIAN),
          lateness(activity, NEARLY_ALL),
          lateness(activity, ALL));
    }

    /** The lateness that this share of settled messages did not exceed; null if there were none. */
    private static @Nullable Long lateness(Activity activity, double share) {
      long wanted = (long) Math.ceil(activity.settled() * share);
      long seen = 0;
      for (Map.Entry<Long, Long> each : activity.latenessMillis().entrySet()) {
        seen += each.getValue();
        if (seen >= wanted) {
          return Math.max(0, each.getKey());
        }
      }
      return null;
    }
  }
}
