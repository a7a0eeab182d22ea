// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.internal.base.InstantText;
import io.pocketwatch.internal.rows.Horizon;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Describes what a configuration means for a loader. */
final class RouteLines {
  private static final int NAMED = 20;

  private RouteLines() {}

  static List<String> of(DelayRoutes routes) {
    LoaderOptions loader = routes.loader();
    Instant next = new Horizon(loader).nextRun(Instant.now());
    return List.of(
        names(routes),
        "Next run at %s (%s), a sweep every %s; loads what is due up to %s"
            .formatted(
                InstantText.of(next),
                in(next),
                DurationText.format(loader.sweep()),
                InstantText.of(next.plus(loader.lead()))));
  }

  private static String names(DelayRoutes routes) {
    List<DelayRoute> all = routes.routes();
    if (all.isEmpty()) {
      return "Routes: none of their own; every message goes by the defaults";
    }
    String names =
        all.stream().limit(NAMED).map(RouteLines::name).collect(Collectors.joining(", "));
    return "Routes (%s): %s%s".formatted(all.size(), names, all.size() > NAMED ? ", ..." : "");
  }

  private static String name(DelayRoute route) {
    return route.tracked()
        ? route.name() + " (" + route.tracking().name().toLowerCase(Locale.ROOT) + ")"
        : route.name();
  }

  private static String in(Instant instant) {
    Duration left = Duration.between(Instant.now(), instant);
    return left.toHours() > 0
        ? "in %s h %s min".formatted(left.toHours(), left.toMinutesPart())
        : "in %s min".formatted(left.toMinutes());
  }
}
