// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import com.github.benmanes.caffeine.cache.Ticker;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.pocketwatch.server.access.Caller;
import io.pocketwatch.server.http.AnswerMemory;
import io.pocketwatch.server.http.AnswerMemory.Room;
import io.pocketwatch.server.http.Answers;
import io.pocketwatch.server.http.CachedAnswers;
import io.pocketwatch.server.http.ConcurrencyLimit;
import io.pocketwatch.server.http.HttpPart;
import io.pocketwatch.server.request.Parameters;
import io.pocketwatch.server.view.OverdueView;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.OverviewStore.DueCount;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The number of messages that come due, per route and step. */
final class DueCounts {
  private static final Duration KEEP = Duration.ofSeconds(5);
  private static final int MOST_HOURS = 168;
  private static final int USUAL_HOURS = 6;
  private static final int WIDEST = 1_440;
  private static final int MOST_STEPS = 1_500;

  /** How many steps are remembered, over all routes and answers. */
  private static final int REMEMBERED = 100_000;

  private static final int BYTES_OF_A_STEP = 200;

  private final Backend backend;
  private final CountWatch counts;
  private final AnswerMemory memory;
  private final ConcurrencyLimit counting;
  private final CachedAnswers<DueQuery, Map<String, Object>> answers =
      new CachedAnswers<>(REMEMBERED, DueCounts::steps, KEEP, this::count, Ticker.systemTicker());

  /**
   * @param counts knows the routes
   * @param counting whose turn it takes to count
   */
  DueCounts(Backend backend, CountWatch counts, AnswerMemory memory, ConcurrencyLimit counting) {
    this.backend = backend;
    this.counts = counts;
    this.memory = memory;
    this.counting = counting;
  }

  private static int steps(Map<String, Object> counted) {
    return counted.get("routes") instanceof Map<?, ?> routes
        ? 1 + routes.values().stream().mapToInt(each -> ((List<?>) each).size()).sum()
        : 1;
  }

  void addTo(RoutesConfig routes) {
    routes.get(HttpPart.REST + "/counts/due", this::count);
  }

  private void count(Context context) {
    Parameters parameters = new Parameters(context, "from", "hours", "stepMinutes", "route");
    Duration range = Duration.ofHours(parameters.integer("hours", 1, MOST_HOURS, USUAL_HOURS));
    Duration step = Duration.ofMinutes(parameters.integer("stepMinutes", 1, WIDEST, 1));
    Instant given = parameters.instant("from");
    long steps = (range.toMillis() + step.toMillis() - 1) / step.toMillis();
    if (steps > MOST_STEPS) {
      throw Parameters.refuse(
          "stepMinutes",
          "%s steps; allowed: %s in the hours asked for".formatted(steps, MOST_STEPS));
    }
    Instant from = given == null ? Instant.now() : given;
    long first = from.toEpochMilli() / step.toMillis() * step.toMillis();
    DueQuery query =
        new DueQuery(
            Instant.ofEpochMilli(first), step, Math.max(1, (int) steps), parameters.text("route"));
    Caller caller = Caller.of(context);
    Map<String, Object> seen = new LinkedHashMap<>(answers.get(query));
    if (seen.get("routes") instanceof Map<?, ?> all) {
      Map<Object, Object> some = new LinkedHashMap<>(all);
      some.keySet().removeIf(route -> !caller.sees(String.valueOf(route)));
      seen.put("routes", some);
    }
    Map<String, Long> overdue = new TreeMap<>();
    OverdueView.byRoute(backend.health(), caller)
        .forEach(
            (route, each) -> {
              if (query.wants(route)) {
                overdue.put(route, each.count());
              }
            });
    seen.put("overdue", overdue);
    Answers.json(context, 200, seen);
  }

  private Map<String, Object> count(DueQuery query) {
    long most = (long) Math.max(1, counts.latest().routes().size()) * query.steps();
    return counting.run(
        () -> {
          try (Room room = memory.take(most * BYTES_OF_A_STEP, most + " steps of all routes")) {
            return read(query);
          }
        });
  }

  private Map<String, Object> read(DueQuery query) {
    DelayStore store = backend.store();
    Instant until = query.from().plus(query.step().multipliedBy(query.steps()));
    Map<String, List<long[]>> routes = new TreeMap<>();
    for (DueCount each : store.dueCounts(query.from(), until, query.step())) {
      if (query.wants(each.route())) {
        routes
            .computeIfAbsent(each.route(), route -> new ArrayList<>())
            .add(new long[] {each.step(), each.count()});
      }
    }
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("at", store.now());
    json.put("from", query.from());
    json.put("stepSeconds", query.step().toSeconds());
    json.put("steps", query.steps());
    json.put("routes", routes);
    return json;
  }

  private record DueQuery(Instant from, Duration step, int steps, @Nullable String route) {
    boolean wants(String name) {
      return route == null || route.equals(name);
    }
  }
}
