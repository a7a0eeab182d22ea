// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.pocketwatch.store.OverviewStore.Activity;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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

  /** Such a share of the settlements was not later; null if there was none. */
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
