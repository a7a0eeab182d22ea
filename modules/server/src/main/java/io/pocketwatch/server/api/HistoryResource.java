// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.pocketwatch.server.access.Caller;
import io.pocketwatch.server.http.Answers;
import io.pocketwatch.server.http.CachedAnswers;
import io.pocketwatch.server.http.HttpPart;
import io.pocketwatch.server.request.Parameters;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.OverviewStore.Lateness;
import io.pocketwatch.store.OverviewStore.Rollup;
import io.pocketwatch.store.OverviewStore.Rollups;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The history of the last day, week or month, as counted by loaders. */
final class HistoryResource {
  private static final Duration KEEP = Duration.ofSeconds(10);
  private static final int REMEMBERED = 100;
  private static final double MEDIAN = 0.5;
  private static final double NEARLY_ALL = 0.99;

  /** A time range, in fewer than a hundred steps. */
  private enum Range {
    DAY("24h", Duration.ofDays(1), Rollup.PERIOD),
    WEEK("7d", Duration.ofDays(7), Duration.ofHours(2)),
    MONTH("30d", Rollup.KEPT, Duration.ofHours(8));

    private final String text;
    private final Duration length;
    private final Duration step;

    Range(String text, Duration length, Duration step) {
      this.text = text;
      this.length = length;
      this.step = step;
    }

    static Range of(@Nullable String text) {
      if (text == null) {
        return DAY;
      }
      for (Range each : values()) {
        if (each.text.equals(text)) {
          return each;
        }
      }
      throw Parameters.refuse("range", "'%s'; allowed: 24h, 7d, 30d".formatted(text));
    }
  }

  private record HistoryQuery(Range range, Set<String> routes) {}

  /** The counts of one step, or of all steps together. */
  private record Counted(
      Instant at,
      long scheduled,
      long settled,
      long cancelled,
      long failed,
      @Nullable Bounds latenessP50,
      @Nullable Bounds latenessP99) {
    static Counted of(Instant at, Rollup rollup) {
      return new Counted(
          at,
          rollup.scheduled(),
          rollup.settled(),
          rollup.cancelled(),
          rollup.failed(),
          Bounds.of(rollup, MEDIAN),
          Bounds.of(rollup, NEARLY_ALL));
    }
  }

  /**
   * The bounds that are known of a percentile.
   *
   * @param moreThanMs null below the first bound
   * @param atMostMs null beyond the last bound
   */
  private record Bounds(@Nullable Long moreThanMs, @Nullable Long atMostMs) {
    static @Nullable Bounds of(Rollup rollup, double share) {
      return rollup
          .lateness()
          .percentile(share)
          .map(each -> new Bounds(millis(each.moreThan()), millis(each.atMost())))
          .orElse(null);
    }

    private static @Nullable Long millis(@Nullable Duration bound) {
      return bound == null ? null : bound.toMillis();
    }
  }

  private final Backend backend;
  private final CachedAnswers<HistoryQuery, Map<String, Object>> answers =
      new CachedAnswers<>(REMEMBERED, KEEP, this::read);

  HistoryResource(Backend backend) {
    this.backend = backend;
  }

  void addTo(RoutesConfig routes) {
    routes.get(HttpPart.REST + "/history", this::history);
  }

  private void history(Context context) {
    Caller caller = Caller.of(context);
    Parameters parameters = new Parameters(context, "range", "route");
    Range range = Range.of(parameters.text("range"));
    String route = parameters.text("route");
    if (route != null) {
      caller.requireRoute(route);
    }
    HistoryQuery query = new HistoryQuery(range, route == null ? caller.routes() : Set.of(route));
    Answers.json(context, 200, answers.get(query));
  }

  /** The history of a route for the last day, as one step. */
  Object day(String route) {
    return Objects.requireNonNull(
        answers.get(new HistoryQuery(Range.DAY, Set.of(route))).get("total"));
  }

  private Map<String, Object> read(HistoryQuery query) {
    DelayStore store = backend.store();
    Range range = query.range();
    long step = range.step.toMillis();
    Instant now = store.now();
    Instant last = Instant.ofEpochMilli(now.toEpochMilli() / step * step);
    Instant from = last.plus(range.step).minus(range.length);
    Rollups rollups = store.rollups(from, now, range.step, query.routes());
    List<Rollup> steps = new ArrayList<>();
    for (int i = 0; i < range.length.dividedBy(range.step); i++) {
      steps.add(new Rollup(i, 0, 0, 0, 0, Lateness.NONE));
    }
    rollups.steps().forEach(each -> steps.set(each.step(), each));
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("range", range.text);
    json.put("from", from);
    json.put("stepSeconds", range.step.toSeconds());
    json.put("countedUpTo", rollups.end());
    json.put("total", Counted.of(from, steps.stream().reduce(Rollup::plus).orElseThrow()));
    json.put(
        "points",
        steps.stream()
            .map(each -> Counted.of(from.plus(range.step.multipliedBy(each.step())), each))
            .toList());
    return json;
  }
}
